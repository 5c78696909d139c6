import { Checkbox, Skeleton } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef, useState } from "react";

import { useT } from "../../i18n/I18n";
import { ContactCard, ContactCells } from "./ContactRow";
import classes from "./ContactTable.module.css";
import { columnLabels, columnWidths, type Column } from "./columns";
import type { Contact } from "./queries";
import type { Selection } from "./selection";
import type { Pages } from "./usePages";

interface Props {
  pages: Pages;
  columns: Column[];
  selection: Selection;
  listNames: Map<string, string>;
  onOpen: (contact: Contact) => void;
  onRange: (first: number, last: number) => void;
}

const ROW = 48;
const CARD = 92;

/** ContactTable draws only the rows in sight, of however many there are. */
export function ContactTable({ pages, columns, selection, listNames, onOpen, onRange }: Props) {
  const t = useT();
  const narrow = useMediaQuery("(max-width: 48em)", false, { getInitialValueInEffect: false });
  const body = useRef<HTMLDivElement>(null);
  const [margin, setMargin] = useState(0);
  const virtual = useWindowVirtualizer({
    count: pages.rows,
    estimateSize: () => (narrow ? CARD : ROW),
    overscan: 12,
    scrollMargin: margin,
  });
  useEffect(() => setMargin(body.current?.offsetTop ?? 0), [narrow]);
  useEffect(() => virtual.measure(), [narrow, virtual]);

  const items = virtual.getVirtualItems();
  const first = items[0]?.index ?? 0;
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => onRange(first, last), [first, last, onRange]);

  const template = `44px minmax(180px, 1.4fr) ${columns.map((c) => columnWidths[c]).join(" ")}`;
  const loadedIds = pages.loaded.map((contact) => contact.id);
  const all = loadedIds.length > 0 && loadedIds.every((id) => selection.has(id));
  const some = !all && loadedIds.some((id) => selection.has(id));
  return (
    <div role="table" aria-label={t("nav.contacts")} aria-rowcount={(pages.total ?? 0) + 1} className={classes.table} data-stale={pages.stale || undefined}>
      <div role="rowgroup" className={classes.head}>
        <div role="row" aria-rowindex={1} className={classes.row} style={narrow ? undefined : { gridTemplateColumns: template }}>
          <div role="columnheader" className={classes.check}>
            <Checkbox
              aria-label={t("contacts.selectLoaded")}
              checked={all}
              indeterminate={some}
              onChange={() => (all ? selection.clear() : selection.add(pages.loaded))}
            />
          </div>
          <div role="columnheader">{t("contacts.name")}</div>
          {narrow
            ? null
            : columns.map((column) => (
                <div key={column} role="columnheader">
                  {t(columnLabels[column])}
                </div>
              ))}
        </div>
      </div>
      <div role="rowgroup" ref={body} className={classes.body} style={{ height: virtual.getTotalSize() }}>
        {items.map((item) => {
          const contact = pages.at(item.index);
          return (
            <div
              key={item.key}
              role="row"
              aria-rowindex={item.index + 2}
              aria-selected={contact ? selection.has(contact.id) : undefined}
              className={classes.row}
              style={{
                position: "absolute",
                insetInline: 0,
                top: 0,
                height: item.size,
                transform: `translateY(${item.start - margin}px)`,
                ...(narrow ? {} : { gridTemplateColumns: template }),
              }}
            >
              {contact ? (
                <>
                  <div role="cell" className={classes.check}>
                    <Checkbox
                      aria-label={t("contacts.select", { name: contact.phone })}
                      checked={selection.has(contact.id)}
                      onChange={() => selection.toggle(contact)}
                    />
                  </div>
                  {narrow ? (
                    <ContactCard contact={contact} onOpen={onOpen} />
                  ) : (
                    <ContactCells contact={contact} columns={columns} listNames={listNames} onOpen={onOpen} />
                  )}
                </>
              ) : (
                <Placeholder columns={narrow ? 0 : columns.length} />
              )}
            </div>
          );
        })}
      </div>
    </div>
  );
}

function Placeholder({ columns }: { columns: number }) {
  return (
    <>
      <div role="cell" />
      <div role="cell">
        <Skeleton h={14} w="60%" />
      </div>
      {Array.from({ length: columns }, (_, i) => (
        <div role="cell" key={i}>
          <Skeleton h={12} w="70%" />
        </div>
      ))}
    </>
  );
}

/** TableSkeleton holds the place of the table until the first page arrives. */
export function TableSkeleton() {
  const t = useT();
  return (
    <div className={classes.table} role="status" aria-label={t("shell.loading")}>
      {Array.from({ length: 8 }, (_, i) => (
        <div key={i} className={classes.row} style={{ height: ROW, gridTemplateColumns: "44px 1fr 1fr 1fr" }}>
          <Placeholder columns={2} />
        </div>
      ))}
    </div>
  );
}

import { Alert, Anchor, Button, Group, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useCallback, useState } from "react";

import { useT } from "../../i18n/I18n";
import { Empty } from "../../ui/Empty";
import { Failure } from "../../ui/Failure";
import { IconAddressBook, IconFileImport, IconPlus, IconSearch } from "../../ui/icons";
import { Page } from "../../ui/Page";
import { BulkBar } from "./BulkBar";
import bar from "./BulkBar.module.css";
import { useColumns } from "./columns";
import { ContactDrawer } from "./ContactDrawer";
import { ContactTable, TableSkeleton } from "./ContactTable";
import { Filters } from "./Filters";
import { filterOf, listsQuery } from "./queries";
import { isFiltered, type ContactSearch } from "./search";
import { useSelection } from "./selection";
import { MAX_ROWS, usePages } from "./usePages";
import { ButtonLink } from "../../ui/links";

const route = getRouteApi("/signed-in/shell/contacts");

/** ContactsPage finds, shows and changes contacts. */
export function ContactsPage() {
  const t = useT();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const filter = filterOf(search);
  const [range, setRange] = useState({ first: 0, last: 0 });
  const onRange = useCallback((first: number, last: number) => setRange((r) => (r.first === first && r.last === last ? r : { first, last })), []);
  const pages = usePages(filter, range.first, range.last);
  const selection = useSelection();
  const columns = useColumns();
  const lists = useQuery(listsQuery);

  const change = (next: Partial<ContactSearch>) => void navigate({ search: (before) => ({ ...before, ...next }), replace: !("open" in next) });
  const refilter = (next: Partial<ContactSearch>) => {
    selection.clear();
    change(next);
  };
  const clear = () => refilter({ q: undefined, list: undefined, tags: undefined, optedOut: undefined });
  const create = () => change({ open: "new" });

  const { total } = pages;
  return (
    <Page
      title={t("nav.contacts")}
      // The way out of a filter stands in a line that is there anyway, so that nothing below jumps.
      description={
        <>
          <span aria-live="polite">{total === undefined ? "\u00a0" : t.count("contacts.total", total)}</span>
          {isFiltered(search) ? (
            <Anchor component="button" type="button" ml="sm" onClick={clear}>
              {t("contacts.clearFilters")}
            </Anchor>
          ) : null}
        </>
      }
      actions={
        <>
          <ButtonLink variant="default" to="/import" leftSection={<IconFileImport size={16} aria-hidden />}>
            {t("nav.import")}
          </ButtonLink>
          <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={create}>
            {t("contacts.add")}
          </Button>
        </>
      }
    >
      <Filters search={search} onChange={refilter} chosen={columns.chosen} onColumn={columns.toggle} />
      <BulkBar selection={selection} filter={filter} total={total ?? 0} />
      <Failure error={pages.error} retry={pages.retry} />
      {total === undefined && !pages.error ? <TableSkeleton /> : null}
      {total === 0 ? <Nothing filtered={isFiltered(search)} onClear={clear} onCreate={create} /> : null}
      {total ? (
        <ContactTable
          pages={pages}
          columns={columns.chosen}
          selection={selection}
          listNames={new Map(lists.data?.map((list) => [list.id, list.name]))}
          onOpen={(contact) => change({ open: contact.id })}
          onRange={onRange}
        />
      ) : null}
      {selection.contacts.length ? <div className={bar.room} /> : null}
      {total !== undefined && total > MAX_ROWS ? (
        <Alert role="note" color="gray">
          <Text size="sm">{t.count("contacts.tooMany", MAX_ROWS)}</Text>
        </Alert>
      ) : null}
      <ContactDrawer open={search.open} onClose={() => change({ open: undefined })} />
    </Page>
  );
}

function Nothing({ filtered, onClear, onCreate }: { filtered: boolean; onClear: () => void; onCreate: () => void }) {
  const t = useT();
  if (filtered) {
    return (
      <div className="panel">
        <Empty icon={IconSearch} title={t("contacts.noneFound")} text={t("contacts.noneFoundText")}>
          <Button variant="default" onClick={onClear}>
            {t("contacts.clearFilters")}
          </Button>
        </Empty>
      </div>
    );
  }
  return (
    <div className="panel">
      <Empty icon={IconAddressBook} title={t("contacts.none")} text={t("contacts.noneText")}>
        <Group justify="center">
          <ButtonLink to="/import" leftSection={<IconFileImport size={16} aria-hidden />}>
            {t("nav.import")}
          </ButtonLink>
          <Button variant="default" onClick={onCreate}>
            {t("contacts.add")}
          </Button>
        </Group>
      </Empty>
    </div>
  );
}

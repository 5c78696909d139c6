import { Button, Checkbox, Group, Text } from "@mantine/core";
import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { Problem } from "../../api/problem";
import { unwrap } from "../../api/client";
import { api } from "../../customer/api";
import { useFormat, useT } from "../../i18n/I18n";
import { Confirm } from "../../ui/Confirm";
import { Empty } from "../../ui/Empty";
import { Failure } from "../../ui/Failure";
import { IconRestore, IconTrash } from "../../ui/icons";
import { notify } from "../../ui/notify";
import { Page } from "../../ui/Page";
import { RowsSkeleton } from "../../ui/RouteStates";
import { contactsChanged, fullName, type Contact } from "../contacts/queries";
import { formatPhone } from "../phone/phone";
import { daysLeft } from "./daysLeft";
import classes from "./TrashPage.module.css";

const PAGE = 200;

/** fetchTrash reads one page of the trash; how much there is in all comes in a header. */
async function fetchTrash(page: number): Promise<{ contacts: Contact[]; total: number }> {
  const { data, error, response } = await api.GET("/api/v1/contacts/trash", { params: { query: { page, pageSize: PAGE } } });
  if (!data) throw Problem.from(response.status, error);
  return { contacts: data, total: Number(response.headers.get("X-Total-Count") ?? data.length) };
}

/** TrashPage brings contacts back, or deletes them for good. */
export function TrashPage() {
  const t = useT();
  const queries = useQueryClient();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [purging, setPurging] = useState(false);
  const trash = useInfiniteQuery({
    queryKey: ["trash"],
    queryFn: ({ pageParam }) => fetchTrash(pageParam),
    initialPageParam: 1,
    getNextPageParam: (last, all) => (all.length * PAGE < last.total ? all.length + 1 : undefined),
  });
  const contacts = trash.data?.pages.flatMap((page) => page.contacts) ?? [];
  const total = trash.data?.pages[0]?.total;
  const ids = [...chosen];

  const done = async (message: string) => {
    notify(message);
    setChosen(new Set());
    setPurging(false);
    await contactsChanged(queries);
  };
  const restore = useMutation({
    mutationFn: () => unwrap(api.POST("/api/v1/contacts/trash/restore", { body: { ids } })),
    onSuccess: ({ restored }) => done(restored < ids.length ? t("trash.restoredSome", { restored, of: ids.length }) : t.count("trash.restored", restored)),
  });
  const purge = useMutation({
    mutationFn: () => unwrap(api.DELETE("/api/v1/contacts/trash", { body: { ids } })),
    onSuccess: ({ purged }) => done(t.count("trash.purged", purged)),
  });
  const toggle = (id: string) =>
    setChosen((before) => {
      const next = new Set(before);
      if (!next.delete(id)) next.add(id);
      return next;
    });
  const all = contacts.length > 0 && contacts.every((contact) => chosen.has(contact.id));

  return (
    <Page title={t("nav.trash")} description={t("trash.text")}>
      <Failure error={trash.error} retry={() => void trash.refetch()} />
      <Failure error={restore.error} />
      {trash.isPending ? <RowsSkeleton rows={5} height={56} /> : null}
      {total === 0 ? (
        <div className="panel">
          <Empty icon={IconTrash} title={t("trash.none")} text={t("trash.noneText")} />
        </div>
      ) : null}
      {contacts.length ? (
        <div className="panel">
          <Group justify="space-between" p="sm" className={classes.head}>
            <Checkbox
              label={chosen.size ? t.count("contacts.selected", chosen.size) : t("trash.selectAll")}
              checked={all}
              indeterminate={!all && chosen.size > 0}
              onChange={() => setChosen(all ? new Set() : new Set(contacts.map((contact) => contact.id)))}
            />
            <Group gap="xs">
              <Button size="xs" variant="default" leftSection={<IconRestore size={16} aria-hidden />} disabled={!chosen.size} loading={restore.isPending} onClick={() => restore.mutate()}>
                {t("trash.restore")}
              </Button>
              <Button size="xs" variant="default" leftSection={<IconTrash size={16} aria-hidden />} disabled={!chosen.size} onClick={() => setPurging(true)}>
                {t("trash.purge")}
              </Button>
            </Group>
          </Group>
          <ul className={classes.rows}>
            {contacts.map((contact) => (
              <Row key={contact.id} contact={contact} checked={chosen.has(contact.id)} onToggle={() => toggle(contact.id)} />
            ))}
          </ul>
          {trash.hasNextPage ? (
            <Group justify="center" p="sm">
              <Button variant="default" loading={trash.isFetchingNextPage} onClick={() => void trash.fetchNextPage()}>
                {t("action.more")}
              </Button>
            </Group>
          ) : null}
        </div>
      ) : null}
      <Confirm
        opened={purging}
        title={t("trash.purgeTitle")}
        text={t.count("trash.purgeText", chosen.size)}
        action={t("trash.purge")}
        danger
        busy={purge.isPending}
        error={purge.error}
        onConfirm={() => purge.mutate()}
        onClose={() => {
          purge.reset();
          setPurging(false);
        }}
      />
    </Page>
  );
}

function Row({ contact, checked, onToggle }: { contact: Contact; checked: boolean; onToggle: () => void }) {
  const t = useT();
  const format = useFormat();
  const name = fullName(contact);
  const deleted = contact.deletedAt ?? contact.updatedAt;
  // Days left are told as of when the row appeared; nobody watches them pass.
  const [now] = useState(() => Date.now());
  return (
    <li className={classes.row}>
      <Checkbox aria-label={t("contacts.select", { name: contact.phone })} checked={checked} onChange={onToggle} />
      <div className={classes.text}>
        <Text fw={600} size="sm" lineClamp={2}>
          {name || t("contacts.unnamed")}
        </Text>
        <Text size="sm" c="dimmed">
          {formatPhone(contact.phone)}
        </Text>
      </div>
      <Text size="sm" c="dimmed" ta="right" title={format.moment(deleted)}>
        {t.count("trash.daysLeft", daysLeft(deleted, now))}
      </Text>
    </li>
  );
}

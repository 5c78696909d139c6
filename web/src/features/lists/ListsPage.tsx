import { Button, Group, Menu, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { unwrap } from "../../api/client";
import type { components } from "../../api/schema";
import { api } from "../../customer/api";
import { useFormat, useT } from "../../i18n/I18n";
import { Confirm } from "../../ui/Confirm";
import { Empty } from "../../ui/Empty";
import { Failure } from "../../ui/Failure";
import { IconDownload, IconList, IconPencil, IconPlus, IconTrash } from "../../ui/icons";
import { MoreMenu } from "../../ui/MoreMenu";
import { notify } from "../../ui/notify";
import { Page } from "../../ui/Page";
import { RowsSkeleton } from "../../ui/RouteStates";
import { contactsChanged, listsQuery } from "../contacts/queries";
import { ListForm } from "./ListForm";
import classes from "./ListsPage.module.css";
import { AnchorLink, MenuLink } from "../../ui/links";

type List = components["schemas"]["List"];

/** ListsPage shows the lists and lets one make, rename and delete them. */
export function ListsPage() {
  const t = useT();
  const lists = useQuery(listsQuery);
  const [editing, setEditing] = useState<List | "new" | null>(null);
  const [deleting, setDeleting] = useState<List | null>(null);
  const create = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setEditing("new")}>
      {t("lists.add")}
    </Button>
  );
  return (
    <Page title={t("nav.lists")} description={t("lists.text")} actions={lists.data?.length ? create : null}>
      <Failure error={lists.error} retry={() => void lists.refetch()} />
      {lists.isPending ? <RowsSkeleton rows={4} height={72} /> : null}
      {lists.data?.length === 0 ? (
        <div className="panel">
          <Empty icon={IconList} title={t("lists.none")} text={t("lists.noneText")}>
            {create}
          </Empty>
        </div>
      ) : null}
      {lists.data?.length ? (
        <ul className={classes.lists}>
          {lists.data.map((list) => (
            <Row key={list.id} list={list} onEdit={() => setEditing(list)} onDelete={() => setDeleting(list)} />
          ))}
        </ul>
      ) : null}
      <ListForm list={editing} onClose={() => setEditing(null)} />
      <DeleteList list={deleting} onClose={() => setDeleting(null)} />
    </Page>
  );
}

function Row({ list, onEdit, onDelete }: { list: List; onEdit: () => void; onDelete: () => void }) {
  const t = useT();
  const format = useFormat();
  return (
    <li className={`panel ${classes.row}`}>
      <div className={classes.text}>
        <AnchorLink to="/contacts" search={{ list: list.id }} fw={600} lineClamp={2}>
          {list.name}
        </AnchorLink>
        {list.description ? (
          <Text size="sm" c="dimmed" lineClamp={2}>
            {list.description}
          </Text>
        ) : null}
        <Text size="xs" c="dimmed">
          {t("contacts.createdOn", { date: format.date(list.createdAt) })}
        </Text>
      </div>
      <Group gap="xs" wrap="nowrap">
        <Text size="sm" className={classes.count}>
          {t.count("contacts.total", list.contactCount)}
        </Text>
        <MoreMenu name={list.name}>
          <Menu.Item leftSection={<IconPencil size={16} aria-hidden />} onClick={onEdit}>
            {t("action.edit")}
          </Menu.Item>
          <MenuLink to="/export" search={{ listId: list.id }} leftSection={<IconDownload size={16} aria-hidden />}>
            {t("nav.export")}
          </MenuLink>
          <Menu.Item c="var(--mantine-color-error)" leftSection={<IconTrash size={16} aria-hidden />} onClick={onDelete}>
            {t("action.delete")}
          </Menu.Item>
        </MoreMenu>
      </Group>
    </li>
  );
}

function DeleteList({ list, onClose }: { list: List | null; onClose: () => void }) {
  const t = useT();
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: (id: string) => unwrap(api.DELETE("/api/v1/contact-lists/{id}", { params: { path: { id } } })),
    onSuccess: async () => {
      notify(t("lists.deleted"));
      onClose();
      await contactsChanged(queries);
    },
  });
  return (
    <Confirm
      opened={list !== null}
      title={t("lists.deleteTitle")}
      text={t("lists.deleteText", { name: list?.name ?? "" })}
      action={t("action.delete")}
      danger
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => list && remove.mutate(list.id)}
      onClose={() => {
        remove.reset();
        onClose();
      }}
    />
  );
}

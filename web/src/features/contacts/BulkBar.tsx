import { Button, CloseButton, Group, Menu, Paper, Text } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";

import { useT } from "../../i18n/I18n";
import { IconListCheck, IconTrash } from "../../ui/icons";
import { notifyFailure } from "../../ui/notify";
import { sentence } from "../../ui/sentence";
import { useAddToList, useTrash } from "./bulk";
import classes from "./BulkBar.module.css";
import { listsQuery, type Filter } from "./queries";
import { fetchMatching, MAX_SELECTED, type Selection } from "./selection";

interface Props {
  selection: Selection;
  filter: Filter;
  total: number;
}

/** BulkBar does things with every selected contact. */
export function BulkBar({ selection, filter, total }: Props) {
  const t = useT();
  const lists = useQuery(listsQuery);
  const trash = useTrash(selection.clear);
  const addToList = useAddToList(selection.clear);
  const chosen = selection.contacts.length;
  const selectAll = useMutation({
    mutationFn: () => fetchMatching(filter, total),
    onSuccess: selection.add,
    onError: (error) => notifyFailure(sentence(t, error)),
  });
  if (chosen === 0) return null;
  const reach = Math.min(total, MAX_SELECTED);
  return (
    <Paper withBorder shadow="lg" p="sm" radius="md" role="region" aria-label={t("contacts.bulk")} className={classes.bar}>
      <Group justify="space-between" gap="xs">
        <Group gap="xs">
          <CloseButton aria-label={t("contacts.deselect")} title={t("contacts.deselect")} onClick={selection.clear} />
          <Text fw={600} aria-live="polite">
            {t.count("contacts.selected", chosen)}
          </Text>
          {chosen < reach ? (
            <Button size="compact-sm" variant="subtle" loading={selectAll.isPending} onClick={() => selectAll.mutate()}>
              {t.count("contacts.selectMatching", reach)}
            </Button>
          ) : null}
        </Group>
        <Group gap="xs">
          <Menu withinPortal position="top-end">
            <Menu.Target>
              <Button size="xs" variant="default" leftSection={<IconListCheck size={16} aria-hidden />} loading={addToList.isPending} disabled={!lists.data?.length}>
                {t("contacts.addToList")}
              </Button>
            </Menu.Target>
            <Menu.Dropdown mah={320} style={{ overflowY: "auto" }}>
              {lists.data?.map((list) => (
                <Menu.Item key={list.id} onClick={() => addToList.mutate({ list, contacts: selection.contacts })}>
                  {list.name}
                </Menu.Item>
              ))}
            </Menu.Dropdown>
          </Menu>
          <Button size="xs" variant="default" leftSection={<IconTrash size={16} aria-hidden />} loading={trash.isPending} onClick={() => trash.mutate(selection.contacts)}>
            {t("contacts.toTrash")}
          </Button>
        </Group>
      </Group>
    </Paper>
  );
}

import { Box, Button, Checkbox, Group, MultiSelect, Popover, Select, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { useT } from "../../i18n/I18n";
import { IconColumns3 } from "../../ui/icons";
import { SearchField } from "../../ui/SearchField";
import { columnLabels, columns, type Column } from "./columns";
import { listsQuery, tagsQuery } from "./queries";
import type { ContactSearch } from "./search";

interface Props {
  search: ContactSearch;
  onChange: (change: Partial<ContactSearch>) => void;
  chosen: Column[];
  onColumn: (column: Column) => void;
}

/** Choices that a field offers at once; typing finds the others. */
export const SHOWN = 100;

/** Filters choose which contacts and which columns are shown. They live in the address, so a link or a reload brings them back. */
export function Filters({ search, onChange, chosen, onColumn }: Props) {
  const t = useT();
  const lists = useQuery(listsQuery);
  const tags = useQuery(tagsQuery);
  const opted = search.optedOut === undefined ? null : String(search.optedOut);
  return (
    <Group gap="sm" align="flex-end">
      <Box flex={1} miw={{ base: "100%", xs: 220 }}>
        <SearchField label={t("contacts.search")} value={search.q ?? ""} onChange={(q) => onChange({ q })} />
      </Box>
      <Select
        aria-label={t("contacts.filterList")}
        placeholder={t("contacts.anyList")}
        data={lists.data?.map((list) => ({ value: list.id, label: list.name })) ?? []}
        limit={SHOWN}
        value={search.list ?? null}
        onChange={(list) => onChange({ list: list ?? undefined })}
        clearable
        searchable
        clearButtonProps={{ "aria-label": t("contacts.anyList") }}
        w={{ base: "calc(50% - 6px)", xs: 180 }}
      />
      <MultiSelect
        aria-label={t("contacts.filterTags")}
        placeholder={search.tags ? "" : t("contacts.anyTags")}
        data={tags.data ?? []}
        limit={SHOWN}
        value={search.tags?.split(",") ?? []}
        onChange={(next) => onChange({ tags: next.join(",") || undefined })}
        clearable
        searchable
        clearButtonProps={{ "aria-label": t("contacts.anyTags") }}
        // One line, however many are chosen: what is below must not jump.
        styles={{ pillsList: { flexWrap: "nowrap", overflow: "hidden" }, inputField: { minWidth: 16 } }}
        w={{ base: "calc(50% - 6px)", xs: 200 }}
      />
      <Select
        aria-label={t("contacts.filterOptOut")}
        placeholder={t("contacts.anyOptOut")}
        data={[
          { value: "false", label: t("contacts.reachable") },
          { value: "true", label: t("contacts.optedOut") },
        ]}
        value={opted}
        onChange={(value) => onChange({ optedOut: value === null ? undefined : value === "true" })}
        clearable
        clearButtonProps={{ "aria-label": t("contacts.anyOptOut") }}
        w={{ base: "100%", xs: 170 }}
      />
      <Popover position="bottom-end" withinPortal trapFocus>
        <Popover.Target>
          <Button variant="default" leftSection={<IconColumns3 size={16} aria-hidden />} visibleFrom="sm">
            {t("contacts.columns")}
          </Button>
        </Popover.Target>
        <Popover.Dropdown>
          <Stack gap="xs" role="group" aria-label={t("contacts.columns")}>
            {columns.map((column) => (
              <Checkbox key={column} checked={chosen.includes(column)} label={t(columnLabels[column])} onChange={() => onColumn(column)} />
            ))}
          </Stack>
        </Popover.Dropdown>
      </Popover>
    </Group>
  );
}

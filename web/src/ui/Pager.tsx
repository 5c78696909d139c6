import { Button, Group, Text } from "@mantine/core";

import { useT } from "../i18n/I18n";

interface Props {
  page: number;
  pageSize: number;
  total: number;
  onChange: (page: number) => void;
}

/** Pager turns the pages of a list; it is not there when one page holds all. */
export function Pager({ page, pageSize, total, onChange }: Props) {
  const t = useT();
  const pages = Math.max(1, Math.ceil(total / pageSize));
  if (pages === 1) return null;
  return (
    <Group component="nav" justify="space-between" aria-label={t("pager.label")}>
      <Button variant="default" disabled={page <= 1} onClick={() => onChange(page - 1)}>
        {t("pager.previous")}
      </Button>
      <Text size="sm" c="dimmed" aria-live="polite">
        {t("pager.where", { page, pages })}
      </Text>
      <Button variant="default" disabled={page >= pages} onClick={() => onChange(page + 1)}>
        {t("pager.next")}
      </Button>
    </Group>
  );
}

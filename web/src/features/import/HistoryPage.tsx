import { Badge, Button, Group, Progress, Stack, Text } from "@mantine/core";
import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { useFormat, useT } from "../../i18n/I18n";
import { Confirm } from "../../ui/Confirm";
import { Empty } from "../../ui/Empty";
import { Failure } from "../../ui/Failure";
import { IconDownload, IconFileImport, IconHistory } from "../../ui/icons";
import { notify, notifyFailure } from "../../ui/notify";
import { Page } from "../../ui/Page";
import { Pager } from "../../ui/Pager";
import { RowsSkeleton } from "../../ui/RouteStates";
import { sentence } from "../../ui/sentence";
import { contactsChanged } from "../contacts/queries";
import { saveRows, undoImport } from "./calls";
import { importsQuery } from "./queries";
import type { Import } from "./upload";
import { ButtonLink } from "../../ui/links";

const PAGE_SIZE = 20;

const colors: Record<Import["status"], string> = { running: "blue.9", completed: "lagoon", failed: "red.9", cancelled: "gray", interrupted: "orange.9" };

/** HistoryPage shows every import with what became of it. */
export function HistoryPage() {
  const t = useT();
  const [page, setPage] = useState(1);
  const imports = useQuery({
    ...importsQuery(page, PAGE_SIZE),
    placeholderData: keepPreviousData,
    refetchInterval: (query) => (query.state.data?.imports.some((record) => record.status === "running") ? 1500 : false),
  });
  const start = (
    <ButtonLink to="/import" leftSection={<IconFileImport size={16} aria-hidden />}>
      {t("nav.import")}
    </ButtonLink>
  );
  return (
    <Page title={t("nav.imports")} description={t("imports.text")} actions={imports.data?.total ? start : null}>
      <Failure error={imports.error} retry={() => void imports.refetch()} />
      {imports.isPending ? <RowsSkeleton rows={4} height={96} /> : null}
      {imports.data?.total === 0 ? (
        <div className="panel">
          <Empty icon={IconHistory} title={t("imports.none")} text={t("imports.noneText")}>
            {start}
          </Empty>
        </div>
      ) : null}
      <Stack gap="xs">
        {imports.data?.imports.map((record) => (
          <Record key={record.id} record={record} />
        ))}
      </Stack>
      <Pager page={page} pageSize={PAGE_SIZE} total={imports.data?.total ?? 0} onChange={setPage} />
    </Page>
  );
}

function Record({ record }: { record: Import }) {
  const t = useT();
  const format = useFormat();
  const queries = useQueryClient();
  const [undoing, setUndoing] = useState(false);
  const rejects = useMutation({ mutationFn: () => saveRows(record.id, "rejects"), onError: (error) => notifyFailure(sentence(t, error)) });
  const undo = useMutation({
    mutationFn: () => undoImport(record.id),
    onSuccess: async (deleted) => {
      setUndoing(false);
      notify(t.count("contacts.trashed", deleted));
      await Promise.all([contactsChanged(queries), queries.invalidateQueries({ queryKey: ["imports"] })]);
    },
  });
  return (
    <article className="panel" style={{ padding: 16 }}>
      <Group justify="space-between" align="flex-start">
        <div>
          <Group gap="xs">
            <Text fw={600}>{record.fileName ?? t("imports.json")}</Text>
            <Badge size="sm" variant="outline" tt="none" color={colors[record.status]}>
              {t(`imports.${record.status}`)}
            </Badge>
            {record.undoneAt ? (
              <Badge size="sm" variant="outline" tt="none" color="gray" c="dimmed">
                {t("imports.undone")}
              </Badge>
            ) : null}
          </Group>
          <Text size="sm" c="dimmed">
            {t("imports.by", { user: record.user, date: format.moment(record.startedAt) })}
          </Text>
        </div>
        <Group gap="xs">
          {record.skipped > 0 && record.status !== "running" ? (
            <Button size="xs" variant="default" leftSection={<IconDownload size={14} aria-hidden />} loading={rejects.isPending} onClick={() => rejects.mutate()}>
              {t("import.rejects")}
            </Button>
          ) : null}
          {record.imported > 0 && !record.undoneAt && record.status !== "running" ? (
            <Button size="xs" variant="default" onClick={() => setUndoing(true)}>
              {t("import.undo")}
            </Button>
          ) : null}
        </Group>
      </Group>
      {record.status === "running" ? (
        <Progress mt="sm" value={record.bytesTotal > 0 ? (record.bytesRead / record.bytesTotal) * 100 : 0} animated aria-label={t("import.processing")} />
      ) : null}
      <Text size="sm" mt="xs">
        {t("imports.counts", {
          imported: format.number(record.imported),
          valid: format.number(record.valid),
          invalid: format.number(record.invalid),
          skipped: format.number(record.skipped),
        })}
      </Text>
      {record.failure ? (
        <Text size="sm" mt={4} c="var(--mantine-color-error)">
          {t.maybe(`error.${record.failure.code}`) ?? record.failure.detail}
        </Text>
      ) : null}
      <Confirm
        opened={undoing}
        title={t("imports.undoTitle")}
        text={t.count("imports.undoText", record.imported)}
        action={t("import.undo")}
        danger
        busy={undo.isPending}
        error={undo.error}
        onConfirm={() => undo.mutate()}
        onClose={() => {
          undo.reset();
          setUndoing(false);
        }}
      />
    </article>
  );
}

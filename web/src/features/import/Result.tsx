import { Anchor, Button, Group, Stack, Text, Title } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";

import { useT } from "../../i18n/I18n";
import { Failure } from "../../ui/Failure";
import { IconAddressBook, IconDownload } from "../../ui/icons";
import { notify } from "../../ui/notify";
import { contactsChanged } from "../contacts/queries";
import { saveRows, undoImport, type Passed } from "./calls";
import { Figures } from "./ForecastPanel";
import { importQuery } from "./queries";
import type { Outcome } from "./upload";
import { ButtonLink } from "../../ui/links";

/** Result says what became of the file, and offers what may come next. */
export function Result({ outcome, onAgain }: { outcome: Outcome; onAgain: () => void }) {
  const t = useT();
  const queries = useQueryClient();
  const record = useQuery({ ...importQuery(outcome.id), enabled: outcome.id !== "" });
  const amended = record.data?.amended ?? 0;
  const rejects = useMutation({ mutationFn: (which: Passed) => saveRows(outcome.id, which) });
  const undo = useMutation({
    mutationFn: () => undoImport(outcome.id),
    onSuccess: async (deleted) => {
      notify(t.count("contacts.trashed", deleted));
      await Promise.all([contactsChanged(queries), queries.invalidateQueries({ queryKey: ["imports"] })]);
    },
  });
  return (
    <section className="panel" style={{ padding: 24 }}>
      <Stack>
        <div role="status">
          <Title order={2} size="h3">
            {t.count("import.done", outcome.imported)}
          </Title>
        </div>
        <Figures
          figures={[
            ["import.imported", outcome.imported],
            ["import.valid", outcome.valid],
            ["import.invalid", outcome.invalid],
            ["import.skipped", outcome.skipped],
          ]}
        />
        {outcome.skipped > 0 ? <Text size="sm">{t("import.skippedText")}</Text> : null}
        {amended > 0 ? (
          <Text size="sm">
            {t.count("import.amended", amended)}{" "}
            <Anchor component="button" type="button" size="sm" onClick={() => rejects.mutate("amended")}>
              {t("import.amendedRows")}
            </Anchor>
          </Text>
        ) : null}
        <Failure error={rejects.error ?? undo.error} />
        <Group>
          <ButtonLink to="/contacts" leftSection={<IconAddressBook size={16} aria-hidden />}>
            {t("import.toContacts")}
          </ButtonLink>
          {outcome.skipped > 0 && outcome.id ? (
            <Button variant="default" leftSection={<IconDownload size={16} aria-hidden />} loading={rejects.isPending} onClick={() => rejects.mutate("rejects")}>
              {t("import.rejects")}
            </Button>
          ) : null}
          <Button variant="default" onClick={onAgain}>
            {t("import.another")}
          </Button>
          {outcome.imported > 0 && outcome.id && !undo.isSuccess ? (
            <Button variant="subtle" loading={undo.isPending} onClick={() => undo.mutate()}>
              {t("import.undo")}
            </Button>
          ) : null}
        </Group>
      </Stack>
    </section>
  );
}

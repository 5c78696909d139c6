import { Progress, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { meQuery } from "../../customer/queries";
import { useFormat, useT } from "../../i18n/I18n";
import { importsQuery } from "./queries";

/** Progressing shows how much was sent, then how far the server has come. */
export function Progressing({ sent, total }: { sent: number; total: number }) {
  const t = useT();
  const format = useFormat();
  const uploaded = total > 0 && sent >= total;
  const { data: me } = useQuery(meQuery);
  // The answer comes when all is done; until then the record tells how far it is.
  const newest = useQuery({ ...importsQuery(1, 5), enabled: uploaded, refetchInterval: 700, staleTime: 0 });
  const running = newest.data?.imports.find((record) => record.status === "running" && record.userId === me?.id);
  const share = uploaded ? (running && running.bytesTotal > 0 ? running.bytesRead / running.bytesTotal : 0) : total > 0 ? sent / total : 0;
  const label = t(uploaded ? "import.processing" : "import.uploading");
  return (
    <section className="panel" style={{ padding: 24 }}>
      <Stack>
        <Title order={2} size="h4">
          {label}
        </Title>
        <Progress.Root size="xl">
          <Progress.Section value={share * 100} aria-label={label} striped={uploaded} animated={uploaded} />
        </Progress.Root>
        <Text size="sm" c="dimmed" role="status">
          {uploaded
            ? running
              ? t("import.processed", { rows: format.number(running.rowsRead), stored: format.number(running.imported) })
              : t("import.waiting")
            : t("import.sent", { sent: format.bytes(sent), total: format.bytes(total) })}
        </Text>
        <Text size="sm">{t("import.stay")}</Text>
      </Stack>
    </section>
  );
}

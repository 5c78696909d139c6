import { Button, Radio, Select, Stack, TextInput, Title } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";

import { unwrap } from "../../api/client";
import { Problem } from "../../api/problem";
import { api } from "../../customer/api";
import { accountQuery, meQuery } from "../../customer/queries";
import { useFormat, useT } from "../../i18n/I18n";
import { Failure } from "../../ui/Failure";
import { isEmail } from "../../ui/fields";
import { IconDownload, IconMail } from "../../ui/icons";
import { notify } from "../../ui/notify";
import { Page } from "../../ui/Page";
import { listsQuery } from "../contacts/queries";
import { fields } from "../import/columns";
import { base64 } from "./base64";
import { countCsv } from "./csv";
import { formats, make, type Format } from "./make";
import { save } from "./save";

const route = getRouteApi("/signed-in/shell/export");

/** A PDF beyond this is no use to anyone, and a browser labours to make it. */
const MAX_PDF = 20_000;

/** The server mails no larger file. */
const MAX_MAIL_BYTES = 10 * 1024 * 1024;

/** ExportPage makes a file of contacts, to keep or to mail. */
export function ExportPage() {
  const t = useT();
  const format = useFormat();
  const { listId } = route.useSearch();
  const navigate = route.useNavigate();
  const lists = useQuery(listsQuery);
  const account = useQuery(accountQuery);
  const me = useQuery(meQuery);
  const [kind, setKind] = useState<Format>("csv");
  const [typed, setTyped] = useState<string | null>(null);
  const address = typed ?? me.data?.email ?? "";
  const listName = lists.data?.find((list) => list.id === listId)?.name;

  const source = () => ({
    listId,
    title: t("export.pdfTitle", { name: listName ?? account.data?.name ?? "", date: format.date(new Date().toISOString()) }),
    headers: fields.map((field) => t(`import.field.${field}`)),
    maxPdf: MAX_PDF,
  });
  const download = useMutation({
    mutationFn: () => make(kind, source()),
    onSuccess: (made) => save(made.file, made.name),
  });
  const mail = useMutation({
    mutationFn: async () => {
      const made = await make(kind, source());
      if (made.file.size > MAX_MAIL_BYTES) throw new Problem({ status: 413, code: "mail_too_large", detail: "" });
      const count = made.count ?? (await countCsv(made.file));
      const body = { email: address.trim(), filename: made.name, fileBase64: await base64(made.file), mimeType: types[kind], count };
      await unwrap(api.POST("/api/v1/contacts/export-email", { body }));
    },
    onSuccess: () => notify(t("export.mailed", { email: address.trim() })),
  });
  const wrong = address.trim() !== "" && !isEmail(address);
  return (
    <Page title={t("export.title")} description={t("export.text")} maw={640}>
      <section className="panel" style={{ padding: 20 }}>
        <Stack>
          <Select
            label={t("export.which")}
            placeholder={t("export.all")}
            data={lists.data?.map((list) => ({ value: list.id, label: `${list.name} (${format.number(list.contactCount)})` })) ?? []}
            value={listId ?? null}
            onChange={(value) => void navigate({ search: { listId: value ?? undefined }, replace: true })}
            searchable
            clearable
            clearButtonProps={{ "aria-label": t("export.all") }}
          />
          <Radio.Group label={t("export.format")} value={kind} onChange={(value) => setKind(value as Format)}>
            <Stack gap="xs" mt={4}>
              {formats.map((choice) => (
                <Radio key={choice} value={choice} label={t(`export.${choice}`)} description={t(`export.${choice}Text`)} />
              ))}
            </Stack>
          </Radio.Group>
          <Failure error={download.error} />
          <Button leftSection={<IconDownload size={16} aria-hidden />} loading={download.isPending} onClick={() => download.mutate()}>
            {t("export.download")}
          </Button>
        </Stack>
      </section>
      <section className="panel" style={{ padding: 20 }}>
        <form
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            if (!wrong && address.trim() !== "") mail.mutate();
          }}
        >
          <Stack>
            <Title order={2} size="h4">
              {t("export.byMail")}
            </Title>
            <TextInput label={t("field.email")} type="email" value={address} error={wrong ? t("form.emailWrong") : null} onChange={(event) => setTyped(event.currentTarget.value)} />
            <Failure error={mail.error} />
            <Button type="submit" variant="default" leftSection={<IconMail size={16} aria-hidden />} loading={mail.isPending} disabled={wrong || address.trim() === ""}>
              {t("export.send")}
            </Button>
          </Stack>
        </form>
      </section>
    </Page>
  );
}

const types: Record<Format, string> = {
  csv: "text/csv",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  pdf: "application/pdf",
};

import { Anchor, Button, FileButton, List, Loader, Stack, Text, Title } from "@mantine/core";
import { useState } from "react";

import { Problem } from "../../api/problem";
import { useFormat, useT } from "../../i18n/I18n";
import { Failure } from "../../ui/Failure";
import { IconUpload } from "../../ui/icons";
import { saveText } from "../export/save";
import classes from "./Import.module.css";
import { MAX_BYTES } from "./ImportPage";

interface Props {
  busy: boolean;
  error: unknown;
  onFile: (file: File) => void;
}

const EXAMPLE = "first_name,last_name,phone,email,tags,notes\r\nAmina,Example,+254712345678,amina@example.com,members;nairobi,\r\n";

/** ChooseFile takes a file by drop or by dialog. */
export function ChooseFile({ busy, error, onFile }: Props) {
  const t = useT();
  const format = useFormat();
  const [over, setOver] = useState(false);
  const [tooLarge, setTooLarge] = useState(false);
  const take = (file: File | null | undefined) => {
    if (!file) return;
    setTooLarge(file.size > MAX_BYTES);
    if (file.size <= MAX_BYTES) onFile(file);
  };
  return (
    <Stack>
      <div
        className={classes.drop}
        data-over={over || undefined}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          take(event.dataTransfer.files[0]);
        }}
      >
        {busy ? <Loader aria-label={t("import.reading")} /> : <IconUpload size={36} aria-hidden />}
        <Title order={2} size="h4">
          {t(busy ? "import.reading" : "import.drop")}
        </Title>
        <Text c="dimmed" size="sm">
          {t("import.kinds", { size: format.bytes(MAX_BYTES) })}
        </Text>
        <FileButton accept=".csv,.txt,.tsv,.xlsx,text/csv,application/vnd.openxmlformats-officedocument.spreadsheetml.sheet" onChange={take}>
          {(props) => (
            <Button {...props} disabled={busy}>
              {t("import.choose")}
            </Button>
          )}
        </FileButton>
      </div>
      <Failure error={tooLarge ? new Problem({ status: 413, code: "file_too_large", detail: "" }) : error} />
      <section className="panel" style={{ padding: 16 }}>
        <Title order={2} size="h5" mb="xs">
          {t("import.goodToKnow")}
        </Title>
        <List size="sm" spacing={4}>
          <List.Item>{t("import.know.header")}</List.Item>
          <List.Item>{t("import.know.phone")}</List.Item>
          <List.Item>{t("import.know.existing")}</List.Item>
          <List.Item>
            <Anchor component="button" type="button" size="sm" onClick={() => saveText(EXAMPLE, "ujumbe-example.csv", "text/csv")}>
              {t("import.example")}
            </Anchor>
          </List.Item>
        </List>
      </section>
    </Stack>
  );
}

import { Stepper } from "@mantine/core";
import "@mantine/core/styles/Stepper.css";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useBlocker } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";

import { unwrap } from "../../api/client";
import { api } from "../../customer/api";
import { useT } from "../../i18n/I18n";
import { Page } from "../../ui/Page";
import { contactsChanged } from "../contacts/queries";
import { ChooseFile } from "./ChooseFile";
import { MatchColumns, type Choice } from "./MatchColumns";
import { Progressing } from "./Progressing";
import { ImportReader } from "./reader";
import { Result } from "./Result";
import { upload, type Outcome } from "./upload";

/** The server takes no larger file. */
export const MAX_BYTES = 64 * 1024 * 1024;

/** ImportPage leads from a file to contacts in four steps. */
export function ImportPage() {
  const t = useT();
  const queries = useQueryClient();
  const [reader, setReader] = useState<ImportReader | null>(null);
  const [sent, setSent] = useState({ bytes: 0, total: 0 });
  useEffect(() => () => reader?.close(), [reader]);

  // A list that was made for a file which then failed to arrive serves the next try.
  const made = useRef(new Map<string, string>());
  const madeList = async (name: string) => {
    const id = made.current.get(name) ?? (await unwrap(api.POST("/api/v1/contact-lists", { body: { name } }))).id;
    made.current.set(name, id);
    return id;
  };

  const open = useMutation({
    mutationFn: async (file: File) => {
      const fresh = new ImportReader();
      const opened = await fresh.open(file).catch((error: unknown) => {
        fresh.close();
        throw error;
      });
      setReader(fresh);
      return { file, opened };
    },
  });
  const send = useMutation({
    mutationFn: async (choice: Choice): Promise<Outcome> => {
      if (!reader || !open.data) throw new Error("no file");
      setSent({ bytes: 0, total: open.data.file.size });
      const listId = choice.newList ? await madeList(choice.newList) : choice.listId;
      const body = choice.asIs ? open.data.file : await reader.rewrite(choice.plan);
      const name = choice.asIs ? open.data.file.name : open.data.file.name.replace(/\.[^.]*$/, "") + ".csv";
      return upload(body, name, listId, (bytes, total) => setSent({ bytes, total }));
    },
    // Not waited for: over a slow link the result would stand behind what other pages show.
    onSettled: () => {
      void contactsChanged(queries);
      void queries.invalidateQueries({ queryKey: ["imports"] });
    },
  });
  const startOver = () => {
    open.reset();
    send.reset();
    setReader(null);
  };
  useBlocker({ shouldBlockFn: () => send.isPending && !confirm(t("import.leave")), enableBeforeUnload: send.isPending, disabled: !send.isPending });

  const step = send.isSuccess ? 3 : send.isPending ? 2 : open.data ? 1 : 0;
  return (
    <Page title={t("import.title")} description={t("import.text")}>
      <Stepper active={step} size="sm" iconSize={32} visibleFrom="sm" allowNextStepsSelect={false}>
        <Stepper.Step label={t("import.step.file")} />
        <Stepper.Step label={t("import.step.columns")} />
        <Stepper.Step label={t("import.step.send")} />
        <Stepper.Step label={t("import.step.result")} />
      </Stepper>
      {step === 0 ? <ChooseFile busy={open.isPending} error={open.error} onFile={(file) => open.mutate(file)} /> : null}
      {(step === 1 || step === 2) && reader && open.data ? (
        // Out of sight while it is sent, so that what was chosen is still there if that fails.
        <div hidden={step === 2}>
          <MatchColumns reader={reader} file={open.data.file} opened={open.data.opened} error={send.error} onSend={(choice) => send.mutate(choice)} onBack={startOver} />
        </div>
      ) : null}
      {step === 2 ? <Progressing sent={sent.bytes} total={sent.total} /> : null}
      {step === 3 && send.data ? <Result outcome={send.data} onAgain={startOver} /> : null}
    </Page>
  );
}

import { Modal, Stack, Textarea, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQueryClient } from "@tanstack/react-query";

import { unwrap } from "../../api/client";
import type { components } from "../../api/schema";
import { api } from "../../customer/api";
import { useT } from "../../i18n/I18n";
import { Failure } from "../../ui/Failure";
import { placeErrors, useRules } from "../../ui/fields";
import { FormButtons } from "../../ui/FormButtons";
import { contactsChanged } from "../contacts/queries";

type List = components["schemas"]["List"];

interface Props {
  list: List | "new" | null;
  onClose: () => void;
}

/** ListForm makes a list or changes one. */
export function ListForm({ list, onClose }: Props) {
  const t = useT();
  return (
    <Modal opened={list !== null} onClose={onClose} title={t(list === "new" ? "lists.add" : "lists.edit")} centered closeButtonProps={{ "aria-label": t("action.close") }}>
      {list ? <Fields key={list === "new" ? "new" : list.id} list={list} onClose={onClose} /> : null}
    </Modal>
  );
}

function Fields({ list, onClose }: { list: List | "new"; onClose: () => void }) {
  const t = useT();
  const queries = useQueryClient();
  const rules = useRules();
  const form = useForm({
    initialValues: list === "new" ? { name: "", description: "" } : { name: list.name, description: list.description ?? "" },
    validate: { name: rules.required },
  });
  const save = useMutation({
    mutationFn: () =>
      list === "new"
        ? unwrap(api.POST("/api/v1/contact-lists", { body: form.values }))
        : unwrap(api.PATCH("/api/v1/contact-lists/{id}", { params: { path: { id: list.id } }, body: form.values })),
    onSuccess: async () => {
      onClose();
      await contactsChanged(queries);
    },
    onError: (error) => placeErrors(form, error),
  });
  return (
    <form noValidate onSubmit={form.onSubmit(() => save.mutate())}>
      <Stack>
        <TextInput label={t("lists.name")} maxLength={100} data-autofocus {...form.getInputProps("name")} />
        <Textarea label={t("lists.description")} autosize minRows={2} maxLength={500} {...form.getInputProps("description")} />
        <Failure error={save.error} />
        <FormButtons action={t("action.save")} busy={save.isPending} onCancel={onClose} />
      </Stack>
    </form>
  );
}

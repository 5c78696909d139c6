import { Modal, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";

import { unwrap } from "../../api/client";
import { api, lastingly, session } from "../../customer/api";
import { useT } from "../../i18n/I18n";
import { Failure } from "../../ui/Failure";
import { placeErrors, useRules } from "../../ui/fields";
import { FormButtons } from "../../ui/FormButtons";
import { notify } from "../../ui/notify";

/** CreateOrganization opens another organization and moves there. */
export default function CreateOrganization({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const t = useT();
  const rules = useRules();
  const form = useForm({ initialValues: { name: "" }, validate: { name: rules.required } });
  const create = useMutation({
    mutationFn: () => session.replace((spends) => unwrap(api.POST("/api/v1/accounts", { body: form.values, fetch: lastingly(spends) }))),
    onSuccess: (result) => {
      notify(t("organization.switched", { name: result.account.name }));
      form.reset();
      onClose();
    },
    onError: (error) => placeErrors(form, error),
  });
  return (
    <Modal opened={opened} onClose={onClose} title={t("organization.create")} centered closeButtonProps={{ "aria-label": t("action.close") }}>
      <form noValidate onSubmit={form.onSubmit(() => create.mutate())}>
        <Stack>
          <Text size="sm" c="dimmed">
            {t("organization.createText")}
          </Text>
          <TextInput label={t("field.organization")} maxLength={100} data-autofocus {...form.getInputProps("name")} />
          <Failure error={create.error} />
          <FormButtons action={t("action.create")} busy={create.isPending} onCancel={onClose} />
        </Stack>
      </form>
    </Modal>
  );
}

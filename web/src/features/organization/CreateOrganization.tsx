import { Button, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";

import { unwrap } from "../../api/client";
import { api, lastingly, session } from "../../customer/api";
import { useT } from "../../i18n/I18n";
import { Failure } from "../../ui/Failure";
import { placeErrors, required } from "../../ui/fields";
import { notify } from "../../ui/notify";

/** CreateOrganization opens another organization and moves there. */
export default function CreateOrganization({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const t = useT();
  const form = useForm({ initialValues: { name: "" }, validate: { name: (v) => (required(v) ? t("form.required") : null) } });
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
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t("action.cancel")}
            </Button>
            <Button type="submit" loading={create.isPending}>
              {t("action.create")}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

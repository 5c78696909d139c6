import { Button, Group, PasswordInput, SimpleGrid, Stack } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";

import { unwrap } from "../../api/client";
import { useT } from "../../i18n/I18n";
import { Failure } from "../../ui/Failure";
import { newPassword, required } from "../../ui/fields";
import { notify } from "../../ui/notify";
import { api } from "../api";
import { Section } from "../Section";

/** ChangePassword replaces one's own password. */
export function ChangePassword({ email }: { email: string }) {
  const t = useT();
  const form = useForm({
    initialValues: { currentPassword: "", newPassword: "" },
    validate: {
      currentPassword: (v) => (required(v) ? t("form.required") : null),
      newPassword: (v) => {
        const key = newPassword(v);
        return key ? t(key) : null;
      },
    },
  });
  const change = useMutation({
    mutationFn: () => unwrap(api.POST("/api/v1/admin/staff/me/change-password", { body: form.values })),
    onSuccess: () => {
      form.reset();
      notify(t("staff.passwordChanged"));
    },
  });
  return (
    <Section title={t("staff.password")} text={t("staff.passwordText")}>
      <form noValidate onSubmit={form.onSubmit(() => change.mutate())}>
        {/* Tells password managers whose password this is. */}
        <input type="email" name="username" autoComplete="username" value={email} readOnly hidden />
        <Stack>
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <PasswordInput label={t("field.currentPassword")} autoComplete="current-password" {...form.getInputProps("currentPassword")} />
            <PasswordInput label={t("field.newPassword")} autoComplete="new-password" {...form.getInputProps("newPassword")} />
          </SimpleGrid>
          <Failure error={change.error} />
          <Group justify="flex-end">
            <Button type="submit" loading={change.isPending}>
              {t("staff.changePassword")}
            </Button>
          </Group>
        </Stack>
      </form>
    </Section>
  );
}

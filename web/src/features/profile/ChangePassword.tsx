import { PasswordInput, SimpleGrid, Stack } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";

import { useT } from "../../i18n/I18n";
import { Failure } from "../../ui/Failure";
import { placeErrors, useRules } from "../../ui/fields";
import { FormButtons } from "../../ui/FormButtons";
import { notify } from "../../ui/notify";
import { Section } from "../../ui/Section";

interface Props {
  email: string;
  change: (passwords: { currentPassword: string; newPassword: string }) => Promise<unknown>;
}

/** ChangePassword replaces one's own password, on either console. */
export function ChangePassword({ email, change }: Props) {
  const t = useT();
  const rules = useRules();
  const form = useForm({
    initialValues: { currentPassword: "", newPassword: "" },
    validate: { currentPassword: rules.required, newPassword: rules.newPassword },
  });
  const save = useMutation({
    mutationFn: () => change(form.values),
    onSuccess: () => {
      form.reset();
      notify(t("password.changed"));
    },
    onError: (error) => placeErrors(form, error),
  });
  return (
    <Section title={t("field.password")} text={t("password.text")}>
      <form noValidate onSubmit={form.onSubmit(() => save.mutate())}>
        {/* Tells password managers whose password this is. */}
        <input type="email" name="username" autoComplete="username" value={email} readOnly hidden />
        <Stack>
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <PasswordInput label={t("field.currentPassword")} autoComplete="current-password" {...form.getInputProps("currentPassword")} />
            <PasswordInput label={t("field.newPassword")} autoComplete="new-password" {...form.getInputProps("newPassword")} />
          </SimpleGrid>
          <Failure error={save.error} />
          <FormButtons action={t("password.change")} busy={save.isPending} />
        </Stack>
      </form>
    </Section>
  );
}

import { Button, PasswordInput, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";

import { AuthLayout } from "../../features/auth/AuthLayout";
import { useT } from "../../i18n/I18n";
import { Failure } from "../../ui/Failure";
import { useRules } from "../../ui/fields";
import { AnchorLink } from "../../ui/links";
import { signIn } from "./calls";

const route = getRouteApi("/login");

/** LoginPage signs a member of the staff in. */
export function LoginPage() {
  const t = useT();
  const navigate = useNavigate();
  const { to } = route.useSearch();
  const rules = useRules();
  const form = useForm({ initialValues: { email: "", password: "" }, validate: { email: rules.email, password: rules.required } });
  const login = useMutation({
    mutationFn: () => signIn(form.values.email.trim(), form.values.password),
    onSuccess: () => navigate({ href: to ?? "/", replace: true }),
  });
  return (
    <AuthLayout title={t("staff.signInTitle")} text={t("staff.signInText")} suffix={t("staff.console")}>
      <form noValidate onSubmit={form.onSubmit(() => login.mutate())}>
        <Stack>
          <TextInput label={t("field.email")} type="email" autoComplete="username" autoFocus {...form.getInputProps("email")} />
          <PasswordInput label={t("field.password")} autoComplete="current-password" {...form.getInputProps("password")} />
          <Failure error={login.error} />
          <Button type="submit" loading={login.isPending}>
            {t("auth.signIn")}
          </Button>
          <AnchorLink to="/forgot-password" size="sm" ta="center">
            {t("auth.forgot")}
          </AnchorLink>
        </Stack>
      </form>
    </AuthLayout>
  );
}

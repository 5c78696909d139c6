import { Button, PasswordInput, SimpleGrid, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";

import { publicClient, unwrap } from "../../api/client";
import { useT } from "../../i18n/I18n";
import { Failure } from "../../ui/Failure";
import { placeErrors, useRules } from "../../ui/fields";
import { AuthLayout } from "./AuthLayout";
import { Providers } from "./Providers";
import { AnchorLink } from "../../ui/links";

/** RegisterPage opens an organization with its first owner. */
export function RegisterPage() {
  const t = useT();
  const navigate = useNavigate();
  const rules = useRules();
  const form = useForm({
    initialValues: { accountName: "", firstName: "", lastName: "", email: "", password: "" },
    validate: {
      accountName: rules.required,
      firstName: rules.required,
      lastName: rules.required,
      email: rules.email,
      password: rules.newPassword,
    },
  });
  const register = useMutation({
    mutationFn: () => unwrap(publicClient.POST("/api/v1/auth/register", { body: { ...form.values, email: form.values.email.trim() } })),
    onSuccess: () => navigate({ to: "/check-mail", search: { email: form.values.email.trim() } }),
    onError: (error) => placeErrors(form, error),
  });
  return (
    <AuthLayout
      title={t("auth.registerTitle")}
      text={
        <>
          {t("auth.haveAccount")}{" "}
          <AnchorLink to="/login">
            {t("auth.signIn")}
          </AnchorLink>
        </>
      }
    >
      <form noValidate onSubmit={form.onSubmit(() => register.mutate())}>
        <Stack>
          <TextInput label={t("field.organization")} description={t("auth.organizationHint")} autoComplete="organization" maxLength={100} autoFocus {...form.getInputProps("accountName")} />
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            <TextInput label={t("field.firstName")} autoComplete="given-name" {...form.getInputProps("firstName")} />
            <TextInput label={t("field.lastName")} autoComplete="family-name" {...form.getInputProps("lastName")} />
          </SimpleGrid>
          <TextInput label={t("field.email")} type="email" autoComplete="email" {...form.getInputProps("email")} />
          <PasswordInput label={t("field.password")} description={t("form.passwordHint")} autoComplete="new-password" {...form.getInputProps("password")} />
          <Failure error={register.error} />
          <Button type="submit" loading={register.isPending}>
            {t("auth.register")}
          </Button>
        </Stack>
      </form>
      <Providers />
    </AuthLayout>
  );
}

import { Anchor, Button, Group, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useState } from "react";

import { Problem } from "../../api/problem";
import { useT } from "../../i18n/I18n";
import { Failure } from "../../ui/Failure";
import { useRules } from "../../ui/fields";
import { notify } from "../../ui/notify";
import { AuthLayout } from "./AuthLayout";
import { requestMagicLink, resendVerification, signIn } from "./calls";
import { Providers } from "./Providers";
import { AnchorLink } from "../../ui/links";

const route = getRouteApi("/login");

/** LoginPage signs in by password, by a mailed link or through a provider. */
export function LoginPage() {
  const t = useT();
  const [byMail, setByMail] = useState(false);
  return (
    <AuthLayout
      title={t("auth.signIn")}
      text={
        <>
          {t("auth.newHere")}{" "}
          <AnchorLink to="/register">
            {t("auth.register")}
          </AnchorLink>
        </>
      }
    >
      {byMail ? <MailForm /> : <PasswordForm />}
      <Button variant="subtle" onClick={() => setByMail(!byMail)}>
        {t(byMail ? "auth.usePassword" : "auth.useLink")}
      </Button>
      <Providers />
    </AuthLayout>
  );
}

function PasswordForm() {
  const t = useT();
  const navigate = useNavigate();
  const { to } = route.useSearch();
  const rules = useRules();
  const form = useForm({ initialValues: { email: "", password: "" }, validate: { email: rules.email, password: rules.required } });
  const login = useMutation({
    mutationFn: () => signIn(form.values.email.trim(), form.values.password),
    onSuccess: () => navigate({ to: to ?? "/", replace: true }),
  });
  const refused = login.error instanceof Problem && login.error.status === 401;
  return (
    <form noValidate onSubmit={form.onSubmit(() => login.mutate())}>
      <Stack>
        <TextInput label={t("field.email")} type="email" autoComplete="username" autoFocus {...form.getInputProps("email")} />
        <PasswordInput label={t("field.password")} autoComplete="current-password" {...form.getInputProps("password")} />
        <Failure error={login.error} />
        {refused ? <Resend address={form.values.email.trim()} /> : null}
        <Button type="submit" loading={login.isPending}>
          {t("auth.signIn")}
        </Button>
        <Group justify="center">
          <AnchorLink to="/forgot-password" size="sm">
            {t("auth.forgot")}
          </AnchorLink>
        </Group>
      </Stack>
    </form>
  );
}

/** The server does not tell why it refuses, so the way out for one of the reasons is always offered. */
function Resend({ address }: { address: string }) {
  const t = useT();
  const resend = useMutation({ mutationFn: () => resendVerification(address), onSuccess: () => notify(t("auth.resent")) });
  return (
    <Text size="sm">
      {t("auth.notVerified")}{" "}
      <Anchor component="button" type="button" size="sm" onClick={() => resend.mutate()}>
        {t("auth.resend")}
      </Anchor>
      <Failure error={resend.error} />
    </Text>
  );
}

function MailForm() {
  const t = useT();
  const rules = useRules();
  const form = useForm({ initialValues: { email: "" }, validate: { email: rules.email } });
  const send = useMutation({ mutationFn: () => requestMagicLink(form.values.email.trim()) });
  if (send.isSuccess) {
    return (
      <Text role="status">
        {t("auth.linkSent", { email: form.values.email.trim() })}
      </Text>
    );
  }
  return (
    <form noValidate onSubmit={form.onSubmit(() => send.mutate())}>
      <Stack>
        <TextInput label={t("field.email")} description={t("auth.linkHint")} type="email" autoComplete="username" autoFocus {...form.getInputProps("email")} />
        <Failure error={send.error} />
        <Button type="submit" loading={send.isPending}>
          {t("auth.sendLink")}
        </Button>
      </Stack>
    </form>
  );
}

import { Button, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";

import { useT } from "../../i18n/I18n";
import { Failure } from "../../ui/Failure";
import { useRules } from "../../ui/fields";
import { AuthLayout } from "./AuthLayout";
import { dropFragment, useMailedToken } from "./token";
import { AnchorLink, ButtonLink } from "../../ui/links";

interface ForgotProps {
  request: (email: string) => Promise<unknown>;
  suffix?: string;
}

/** ForgotPassword asks for a link to set a new password. */
export function ForgotPassword({ request, suffix }: ForgotProps) {
  const t = useT();
  const rules = useRules();
  const form = useForm({ initialValues: { email: "" }, validate: { email: rules.email } });
  const send = useMutation({ mutationFn: () => request(form.values.email.trim()) });
  return (
    <AuthLayout title={t("auth.forgotTitle")} text={t("auth.forgotText")} suffix={suffix}>
      {send.isSuccess ? (
        <Text role="status">{t("auth.resetSent", { email: form.values.email.trim() })}</Text>
      ) : (
        <form noValidate onSubmit={form.onSubmit(() => send.mutate())}>
          <Stack>
            <TextInput label={t("field.email")} type="email" autoComplete="username" autoFocus {...form.getInputProps("email")} />
            <Failure error={send.error} />
            <Button type="submit" loading={send.isPending}>
              {t("auth.sendReset")}
            </Button>
          </Stack>
        </form>
      )}
      <AnchorLink to="/login" ta="center">
        {t("auth.backToSignIn")}
      </AnchorLink>
    </AuthLayout>
  );
}

interface ResetProps {
  reset: (token: string, password: string) => Promise<unknown>;
  suffix?: string;
}

/** ResetPassword sets a new password by a mailed link. */
export function ResetPassword(props: ResetProps) {
  const token = useMailedToken();
  return <NewPassword key={token} token={token} {...props} />;
}

function NewPassword({ token, reset, suffix }: ResetProps & { token: string }) {
  const t = useT();
  const rules = useRules();
  const form = useForm({ initialValues: { password: "" }, validate: { password: rules.newPassword } });
  const send = useMutation({ mutationFn: () => reset(token, form.values.password), onSuccess: dropFragment });
  if (send.isSuccess) {
    return (
      <AuthLayout title={t("auth.resetDone")} text={t("auth.resetDoneText")} suffix={suffix}>
        <ButtonLink to="/login">
          {t("auth.signIn")}
        </ButtonLink>
      </AuthLayout>
    );
  }
  return (
    <AuthLayout title={t("auth.resetTitle")} text={t(token ? "auth.resetText" : "auth.linkIncomplete")} suffix={suffix}>
      <form noValidate onSubmit={form.onSubmit(() => send.mutate())}>
        <Stack>
          <PasswordInput label={t("field.newPassword")} description={t("form.passwordHint")} autoComplete="new-password" autoFocus disabled={!token} {...form.getInputProps("password")} />
          <Failure error={send.error} />
          <Button type="submit" loading={send.isPending} disabled={!token}>
            {t("auth.setPassword")}
          </Button>
          <AnchorLink to="/forgot-password" ta="center" size="sm">
            {t("auth.newLink")}
          </AnchorLink>
        </Stack>
      </form>
    </AuthLayout>
  );
}

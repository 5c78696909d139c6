import { Button, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";

import { useT } from "../../i18n/I18n";
import { Failure } from "../../ui/Failure";
import { notify } from "../../ui/notify";
import { AuthLayout } from "./AuthLayout";
import { resendVerification } from "./calls";
import { AnchorLink } from "../../ui/links";

const route = getRouteApi("/check-mail");

/** CheckMailPage waits with the person for the verification mail. */
export function CheckMailPage() {
  const t = useT();
  const { email } = route.useSearch();
  const resend = useMutation({ mutationFn: () => resendVerification(email ?? ""), onSuccess: () => notify(t("auth.resent")) });
  return (
    <AuthLayout title={t("auth.checkMail")} text={t("auth.checkMailText", { email: email ?? t("auth.yourAddress") })}>
      <Stack>
        <Text size="sm">{t("auth.checkMailHint")}</Text>
        {email ? (
          <Button variant="default" loading={resend.isPending} onClick={() => resend.mutate()}>
            {t("auth.resend")}
          </Button>
        ) : null}
        <Failure error={resend.error} />
        <AnchorLink to="/login" ta="center">
          {t("auth.backToSignIn")}
        </AnchorLink>
      </Stack>
    </AuthLayout>
  );
}

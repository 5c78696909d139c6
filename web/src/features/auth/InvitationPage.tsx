import { Button, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";

import { publicClient, unwrap } from "../../api/client";
import { session } from "../../customer/api";
import { useT } from "../../i18n/I18n";
import { Failure } from "../../ui/Failure";
import { AuthLayout } from "./AuthLayout";
import { dropFragment, useMailedToken } from "./token";
import { AnchorLink, ButtonLink } from "../../ui/links";

/** InvitationPage brings someone who has a user already into another organization. */
export function InvitationPage() {
  const token = useMailedToken();
  return <Invitation key={token} token={token} />;
}

function Invitation({ token }: { token: string }) {
  const t = useT();
  const accept = useMutation({
    mutationFn: () => unwrap(publicClient.POST("/api/v1/users/invitations/accept", { body: { token } })),
    onSuccess: dropFragment,
  });
  if (accept.data) {
    return (
      <AuthLayout title={t("auth.accepted", { name: accept.data.account.name })} text={t("auth.acceptedText")}>
        <ButtonLink to={session.signedIn ? "/" : "/login"}>
          {t(session.signedIn ? "auth.toConsole" : "auth.signIn")}
        </ButtonLink>
      </AuthLayout>
    );
  }
  return (
    <AuthLayout title={t("auth.invitationTitle")} text={t(token ? "auth.invitationText" : "auth.linkIncomplete")}>
      <Stack>
        {token ? (
          <Button autoFocus loading={accept.isPending} onClick={() => accept.mutate()}>
            {t("auth.accept")}
          </Button>
        ) : null}
        <Failure error={accept.error} />
        {accept.isError ? <Text size="sm">{t("auth.invitationAgain")}</Text> : null}
        <AnchorLink to="/login" ta="center">
          {t("auth.backToSignIn")}
        </AnchorLink>
      </Stack>
    </AuthLayout>
  );
}

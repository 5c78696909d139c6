import { Button, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";

import type { MessageKey } from "../../i18n/catalogue";
import { useT } from "../../i18n/I18n";
import { Failure } from "../../ui/Failure";
import { AuthLayout } from "./AuthLayout";
import { enterByMagicLink, verifyEmail } from "./calls";
import { dropFragment, useMailedToken } from "./token";
import { AnchorLink } from "../../ui/links";

interface Props {
  token: string;
  title: MessageKey;
  text: MessageKey;
  action: MessageKey;
  redeem: (token: string) => Promise<unknown>;
}

type Purpose = Omit<Props, "token">;

/** RedeemPage starts over with each link. */
function RedeemPage(purpose: Purpose) {
  const token = useMailedToken();
  return <Redeem key={token} token={token} {...purpose} />;
}

/**
 * Redeem spends the token of a mailed link when its button is clicked and not
 * before: programs that open links to look for malice must not spend it.
 */
function Redeem({ token, title, text, action, redeem }: Props) {
  const t = useT();
  const navigate = useNavigate();
  const spend = useMutation({
    mutationFn: () => redeem(token),
    onSuccess: () => {
      dropFragment();
      return navigate({ to: "/", replace: true });
    },
  });
  return (
    <AuthLayout title={t(title)} text={t(token ? text : "auth.linkIncomplete")}>
      <Stack>
        {token ? (
          <Button autoFocus loading={spend.isPending} onClick={() => spend.mutate()}>
            {t(action)}
          </Button>
        ) : null}
        <Failure error={spend.error} />
        {spend.isError || !token ? <Text size="sm">{t("auth.linkAgain")}</Text> : null}
        <AnchorLink to="/login" ta="center">
          {t("auth.backToSignIn")}
        </AnchorLink>
      </Stack>
    </AuthLayout>
  );
}

/** VerifyPage confirms an email address. */
export const VerifyPage = () => <RedeemPage title="auth.verifyTitle" text="auth.verifyText" action="auth.verify" redeem={verifyEmail} />;

/** MagicLinkPage signs in without a password. */
export const MagicLinkPage = () => <RedeemPage title="auth.magicTitle" text="auth.magicText" action="auth.signIn" redeem={enterByMagicLink} />;

import { Center, Loader, Stack } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";

import { publicClient, unwrap } from "../../api/client";
import { Problem } from "../../api/problem";
import { session } from "../../customer/api";
import { useT } from "../../i18n/I18n";
import { Failure } from "../../ui/Failure";
import { AuthLayout } from "./AuthLayout";
import { begunHere, isSlot, returned } from "./providers";
import { dropFragment } from "./token";
import { AnchorLink } from "../../ui/links";

const route = getRouteApi("/auth/callback/$slot");

/** CallbackPage is where a provider sends people back to, with a code that works once. */
export function CallbackPage() {
  const t = useT();
  const navigate = useNavigate();
  const { slot } = route.useParams();
  const search = route.useSearch();
  const [{ code, error, ...rest }] = useState(() => returned(search, location.hash));
  const enter = useMutation({
    mutationFn: () => redeem(slot, { code: code ?? "", ...rest }),
    onSuccess: () => navigate({ to: "/", replace: true }),
  });
  const begun = useRef(false);
  useEffect(() => {
    // The code works once, however often the page is drawn.
    if (code === undefined || begun.current) return;
    begun.current = true;
    enter.mutate();
  }, [code, enter]);
  const failure = enter.error ?? (code === undefined ? new Problem({ status: 400, code: error === "access_denied" ? "provider_denied" : "provider_failed", detail: "" }) : null);
  return (
    <AuthLayout title={t(failure ? "auth.providerFailed" : "auth.signingIn")}>
      <Stack>
        {failure ? (
          <>
            <Failure error={failure} />
            <AnchorLink to="/login" ta="center">
              {t("auth.backToSignIn")}
            </AnchorLink>
          </>
        ) : (
          <Center>
            <Loader aria-label={t("auth.signingIn")} />
          </Center>
        )}
      </Stack>
    </AuthLayout>
  );
}

async function redeem(slot: string, body: { code: string; state?: string; firstName?: string; lastName?: string }) {
  if (!isSlot(slot)) throw new Problem({ status: 404, code: "provider_failed", detail: "" });
  if (!begunHere(slot, body.state)) throw new Problem({ status: 400, code: "provider_elsewhere", detail: "" });
  const result = await unwrap(publicClient.POST(`/api/v1/auth/${slot}/callback`, { body }));
  dropFragment();
  session.begin(result);
}

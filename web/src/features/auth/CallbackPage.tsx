import { Center, Loader, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Navigate, getRouteApi } from "@tanstack/react-router";

import { publicClient, unwrap } from "../../api/client";
import { Problem } from "../../api/problem";
import { session } from "../../customer/api";
import { useT } from "../../i18n/I18n";
import { Failure } from "../../ui/Failure";
import { AuthLayout } from "./AuthLayout";
import { isSlot } from "./providers";
import { AnchorLink } from "../../ui/links";

const route = getRouteApi("/auth/callback/$slot");

/** CallbackPage is where a provider sends people back to, with a code that works once. */
export function CallbackPage() {
  const t = useT();
  const { slot } = route.useParams();
  const { code, state, error } = route.useSearch();
  const entered = useQuery({
    queryKey: ["callback", slot, code],
    queryFn: () => redeem(slot, code, state),
    enabled: code !== undefined,
    retry: false,
    staleTime: Infinity,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  if (entered.isSuccess) return <Navigate to="/" replace />;
  const failure = entered.error ?? (code === undefined ? new Problem({ status: 400, code: error === "access_denied" ? "provider_denied" : "provider_failed", detail: "" }) : null);
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

async function redeem(slot: string, code = "", state?: string) {
  if (!isSlot(slot)) throw new Problem({ status: 404, code: "provider_failed", detail: "" });
  const result = await unwrap(publicClient.POST(`/api/v1/auth/${slot}/callback`, { body: { code, ...(state ? { state } : {}) } }));
  session.begin(result);
  return true;
}

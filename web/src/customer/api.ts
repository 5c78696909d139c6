import { browserSession, publicClient, signedClient, signedFetch } from "../api/client";
import { lasting } from "../api/lasting";

/** The customer's session in this browser. */
export const session = browserSession(
  "customer",
  (refreshToken) => publicClient.POST("/api/v1/auth/refresh", { body: { refreshToken }, fetch: lasting(refreshToken) }),
  (refreshToken) => publicClient.POST("/api/v1/auth/logout", { body: { refreshToken } }),
);

/** Calls the API as the signed-in customer. */
export const api = signedClient(session);

/** lastingly has a call of the customer go on when the page is reloaded, since it spends the refresh token. */
export const lastingly = (spends: string) => signedFetch(session, lasting(spends));

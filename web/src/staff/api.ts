import { browserSession, publicClient, signedClient } from "../api/client";
import { lasting } from "../api/lasting";

/** The staff member's session in this browser, apart from any customer's. */
export const session = browserSession(
  "staff",
  (refreshToken) => publicClient.POST("/api/v1/admin/auth/refresh", { body: { refreshToken }, fetch: lasting(refreshToken) }),
  (refreshToken) => publicClient.POST("/api/v1/admin/auth/logout", { body: { refreshToken } }),
);

/** Calls the API as the signed-in staff member. */
export const api = signedClient(session);

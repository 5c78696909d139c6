import { browserSession, publicClient, signedClient } from "../api/client";

/** The customer's session in this browser. */
export const session = browserSession(
  "customer",
  (refreshToken) => publicClient.POST("/api/v1/auth/refresh", { body: { refreshToken } }),
  (refreshToken) => publicClient.POST("/api/v1/auth/logout", { body: { refreshToken } }),
);

/** Calls the API as the signed-in customer. */
export const api = signedClient(session);

import { publicClient, unwrap } from "../../api/client";
import { session } from "../../customer/api";

/** Signing in, by each way there is; every one begins the session. */
export async function signIn(email: string, password: string) {
  const result = await unwrap(publicClient.POST("/api/v1/auth/login", { body: { email, password } }));
  session.begin(result);
  return result.user;
}

export async function verifyEmail(token: string) {
  const result = await unwrap(publicClient.POST("/api/v1/auth/verify-email", { body: { token } }));
  session.begin(result);
  return result.user;
}

export async function enterByMagicLink(token: string) {
  const result = await unwrap(publicClient.POST("/api/v1/auth/magic-link/verify", { body: { token } }));
  session.begin(result);
  return result.user;
}

/** Asking for mail. The answers never tell whether the address is known. */
export const requestMagicLink = (email: string) => unwrap(publicClient.POST("/api/v1/auth/magic-link", { body: { email } }));
export const requestReset = (email: string) => unwrap(publicClient.POST("/api/v1/auth/forgot-password", { body: { email } }));
export const resendVerification = (email: string) => unwrap(publicClient.POST("/api/v1/auth/resend-verification", { body: { email } }));

export const resetPassword = (token: string, newPassword: string) => unwrap(publicClient.POST("/api/v1/auth/reset-password", { body: { token, newPassword } }));

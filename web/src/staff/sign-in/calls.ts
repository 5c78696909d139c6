import { publicClient, unwrap } from "../../api/client";
import { session } from "../api";

/** signIn begins the session of a member. */
export async function signIn(email: string, password: string): Promise<void> {
  session.begin(await unwrap(publicClient.POST("/api/v1/admin/auth/login", { body: { email, password } })));
}

/** requestReset mails a link to set a password, to whoever on the staff has the address. */
export const requestReset = (email: string) => unwrap(publicClient.POST("/api/v1/admin/auth/forgot-password", { body: { email } }));

/** resetPassword spends a mailed link, of a reset or an invitation. */
export const resetPassword = (token: string, newPassword: string) => unwrap(publicClient.POST("/api/v1/admin/auth/reset-password", { body: { token, newPassword } }));

import { publicClient, unwrap } from "../../api/client";
import { ForgotPassword, ResetPassword } from "../../features/auth/PasswordPages";
import { useT } from "../../i18n/I18n";

/** requestReset mails a link to set a password, to whoever on the staff has the address. */
export const requestReset = (email: string) => unwrap(publicClient.POST("/api/v1/admin/auth/forgot-password", { body: { email } }));

const resetPassword = (token: string, newPassword: string) => unwrap(publicClient.POST("/api/v1/admin/auth/reset-password", { body: { token, newPassword } }));

/** ForgotPage is the staff's way to a new password. */
export const ForgotPage = () => <ForgotPassword request={requestReset} suffix={useT()("staff.console")} />;

/** ResetPage is where the mailed links of resets and invitations lead. */
export const ResetPage = () => <ResetPassword reset={resetPassword} suffix={useT()("staff.console")} />;

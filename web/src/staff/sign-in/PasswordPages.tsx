import { ForgotPassword, ResetPassword } from "../../features/auth/PasswordPages";
import { useT } from "../../i18n/I18n";
import { requestReset, resetPassword } from "./calls";

/** ForgotPage is the staff's way to a new password. */
export const ForgotPage = () => <ForgotPassword request={requestReset} suffix={useT()("staff.console")} />;

/** ResetPage is where the mailed links of resets and invitations lead. */
export const ResetPage = () => <ResetPassword reset={resetPassword} suffix={useT()("staff.console")} />;

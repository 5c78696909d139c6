import { requestReset, resetPassword } from "./calls";
import { ForgotPassword, ResetPassword } from "./PasswordPages";

/** ForgotPage is the customer's way to a new password. */
export const ForgotPage = () => <ForgotPassword request={requestReset} />;

/** ResetPage is where the customer's mailed link leads. */
export const ResetPage = () => <ResetPassword reset={resetPassword} />;

import auth from "./auth.json";
import common from "./common.json";
import contacts from "./contacts.json";
import dashboard from "./dashboard.json";
import errors from "./errors.json";
import organization from "./organization.json";
import transfer from "./transfer.json";

/** What the customers' pages say. */
export default { ...common, ...errors, ...auth, ...contacts, ...transfer, ...organization, ...dashboard };

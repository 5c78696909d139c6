import auth from "./auth.json";
import common from "./common.json";
import errors from "./errors.json";
import staff from "./staff.json";

/** What the staff's pages say. */
export default { ...common, ...errors, ...auth, ...staff };

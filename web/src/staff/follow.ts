import type { QueryClient } from "@tanstack/react-query";

import { session } from "./api";
import { BASE, isOutside, type StaffRouter } from "./router";

/**
 * followSession keeps what is on screen true to the session, whichever tab
 * changed it: nothing read for one person outlives their session.
 */
export function followSession(router: StaffRouter, queries: QueryClient): void {
  session.on((event, elsewhere) => {
    const { pathname, href } = router.state.location;
    queries.clear();
    switch (event) {
      case "signed-out":
      case "expired":
        if (isOutside(pathname)) return;
        void router.navigate({ to: "/login", search: event === "expired" ? { to: href } : {}, ignoreBlocker: true });
        return;
      case "signed-in":
        // It may be someone else by now: start over.
        if (elsewhere && (pathname === "/login" || !isOutside(pathname))) location.replace(`${BASE}/`);
    }
  });
}

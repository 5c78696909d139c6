import type { QueryClient } from "@tanstack/react-query";

import { session } from "./api";
import { needsSession, type newRouter } from "./router";

/**
 * followSession keeps what is on screen true to the session, whichever tab
 * changed it: nothing read for one person or organization outlives it.
 */
export function followSession(router: ReturnType<typeof newRouter>, queries: QueryClient): void {
  const inside = () => needsSession(router.latestLocation.pathname);
  session.on((event, elsewhere) => {
    switch (event) {
      case "signed-out":
      case "expired":
        queries.clear();
        if (!inside()) return;
        void router.navigate({ to: "/login", search: event === "expired" ? { to: router.latestLocation.href } : {}, ignoreBlocker: true });
        return;
      case "signed-in":
        queries.clear();
        if (!elsewhere || !(inside() || router.latestLocation.pathname === "/login")) return;
        break;
      case "switched":
        break;
    }
    // Another organization, or another person: start over from a page both have.
    void router.navigate({ to: "/", ignoreBlocker: true }).then(() => queries.resetQueries());
  });
}

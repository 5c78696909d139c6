import type { QueryClient } from "@tanstack/react-query";
import { createRootRouteWithContext, createRoute, createRouter, lazyRouteComponent, Outlet, redirect } from "@tanstack/react-router";

import { inside } from "../ui/addresses";
import { routeStates } from "../ui/RouteStates";
import { session } from "./api";
import { organizationSearch } from "./organizations/search";
import { meQuery, myPermissionsQuery } from "./queries";
import { Shell } from "./Shell";

/** Where the staff's page is served. */
export const BASE = "/admin";

interface Context {
  queries: QueryClient;
}

const root = createRootRouteWithContext<Context>()({ component: Outlet });

const outside = [
  createRoute({
    getParentRoute: () => root,
    path: "/login",
    validateSearch: (s: Record<string, unknown>): { to?: string | undefined } => ({ to: inside(s.to) }),
    component: lazyRouteComponent(() => import("./sign-in/LoginPage"), "LoginPage"),
  }),
  createRoute({ getParentRoute: () => root, path: "/forgot-password", component: lazyRouteComponent(() => import("./sign-in/PasswordPages"), "ForgotPage") }),
  createRoute({ getParentRoute: () => root, path: "/reset-password", component: lazyRouteComponent(() => import("./sign-in/PasswordPages"), "ResetPage") }),
] as const;

/** isOutside tells whether a page is for people who are not signed in. */
export function isOutside(pathname: string): boolean {
  return ["/login", "/forgot-password", "/reset-password"].includes(pathname);
}

/** Everything below asks for a session. */
const shell = createRoute({
  getParentRoute: () => root,
  id: "shell",
  beforeLoad: ({ location }) => {
    if (!session.signedIn) throw redirect({ to: "/login", search: location.pathname === "/" ? {} : { to: location.href } });
  },
  loader: ({ context }) => Promise.all([context.queries.ensureQueryData(meQuery), context.queries.ensureQueryData(myPermissionsQuery)]),
  component: Shell,
});

const pages = [
  createRoute({
    getParentRoute: () => shell,
    path: "/",
    beforeLoad: () => {
      throw redirect({ to: "/organizations", replace: true });
    },
  }),
  createRoute({
    getParentRoute: () => shell,
    path: "/organizations",
    validateSearch: organizationSearch,
    component: lazyRouteComponent(() => import("./organizations/OrganizationsPage"), "OrganizationsPage"),
  }),
  createRoute({ getParentRoute: () => shell, path: "/organizations/$id", component: lazyRouteComponent(() => import("./organizations/OrganizationPage"), "OrganizationPage") }),
  createRoute({ getParentRoute: () => shell, path: "/staff", component: lazyRouteComponent(() => import("./members/MembersPage"), "MembersPage") }),
  createRoute({ getParentRoute: () => shell, path: "/staff/$id", component: lazyRouteComponent(() => import("./members/MemberPage"), "MemberPage") }),
  createRoute({ getParentRoute: () => shell, path: "/profile", component: lazyRouteComponent(() => import("./profile/ProfilePage"), "ProfilePage") }),
] as const;

const tree = root.addChildren([...outside, shell.addChildren(pages)]);

/** newRouter makes the staff's router. */
export function newRouter(queries: QueryClient) {
  return createRouter({
    routeTree: tree,
    basepath: BASE,
    context: { queries },
    ...routeStates,
  });
}

export type StaffRouter = ReturnType<typeof newRouter>;

declare module "@tanstack/react-router" {
  interface Register {
    router: StaffRouter;
  }
}

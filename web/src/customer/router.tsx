import type { QueryClient } from "@tanstack/react-query";
import { createRootRouteWithContext, createRoute, createRouter, lazyRouteComponent, Outlet, redirect } from "@tanstack/react-router";

import { contactSearch } from "../features/contacts/search";
import { inside, text } from "../ui/addresses";
import { routeStates } from "../ui/RouteStates";
import { session } from "./api";
import { meQuery } from "./queries";

interface Context {
  queries: QueryClient;
}

const root = createRootRouteWithContext<Context>()({ component: Outlet });

const auth = [
  createRoute({
    getParentRoute: () => root,
    path: "/login",
    validateSearch: (s: Record<string, unknown>): { to?: string | undefined } => ({ to: inside(s.to) }),
    component: lazyRouteComponent(() => import("../features/auth/LoginPage"), "LoginPage"),
  }),
  createRoute({ getParentRoute: () => root, path: "/register", component: lazyRouteComponent(() => import("../features/auth/RegisterPage"), "RegisterPage") }),
  createRoute({
    getParentRoute: () => root,
    path: "/check-mail",
    validateSearch: (s: Record<string, unknown>): { email?: string | undefined } => ({ email: text(s.email) }),
    component: lazyRouteComponent(() => import("../features/auth/CheckMailPage"), "CheckMailPage"),
  }),
  createRoute({ getParentRoute: () => root, path: "/verify-email", component: lazyRouteComponent(() => import("../features/auth/RedeemPage"), "VerifyPage") }),
  createRoute({ getParentRoute: () => root, path: "/magic-link", component: lazyRouteComponent(() => import("../features/auth/RedeemPage"), "MagicLinkPage") }),
  createRoute({ getParentRoute: () => root, path: "/forgot-password", component: lazyRouteComponent(() => import("../features/auth/CustomerPasswordPages"), "ForgotPage") }),
  createRoute({ getParentRoute: () => root, path: "/reset-password", component: lazyRouteComponent(() => import("../features/auth/CustomerPasswordPages"), "ResetPage") }),
  createRoute({ getParentRoute: () => root, path: "/invitation", component: lazyRouteComponent(() => import("../features/auth/InvitationPage"), "InvitationPage") }),
  createRoute({
    getParentRoute: () => root,
    path: "/auth/callback/$slot",
    validateSearch: (s: Record<string, unknown>): { code?: string | undefined; state?: string | undefined; error?: string | undefined } => ({
      code: text(s.code),
      state: text(s.state),
      error: text(s.error),
    }),
    component: lazyRouteComponent(() => import("../features/auth/CallbackPage"), "CallbackPage"),
  }),
] as const;

/** needsSession tells whether an address is one of those below, which ask for a session. */
export function needsSession(pathname: string): boolean {
  return !/^\/(login|register|check-mail|verify-email|magic-link|forgot-password|reset-password|invitation|auth)(\/|$)/.test(pathname);
}

/** Everything below asks for a session. */
const signedIn = createRoute({
  getParentRoute: () => root,
  id: "signed-in",
  beforeLoad: ({ location }) => {
    if (!session.signedIn) throw redirect({ to: "/login", search: location.href === "/" ? {} : { to: location.href } });
  },
  loader: ({ context }) => context.queries.ensureQueryData(meQuery),
  component: Outlet,
});

const welcome = createRoute({ getParentRoute: () => signedIn, path: "/welcome", component: lazyRouteComponent(() => import("../features/auth/WelcomePage"), "WelcomePage") });

/** The console proper, once the person has a name. */
const shell = createRoute({
  getParentRoute: () => signedIn,
  id: "shell",
  loader: async ({ context }) => {
    const me = await context.queries.ensureQueryData(meQuery);
    if (!me.firstName || !me.lastName) throw redirect({ to: "/welcome" });
  },
  component: lazyRouteComponent(() => import("./Shell"), "Shell"),
});

const pages = [
  createRoute({ getParentRoute: () => shell, path: "/", component: lazyRouteComponent(() => import("../features/dashboard/DashboardPage"), "DashboardPage") }),
  createRoute({
    getParentRoute: () => shell,
    path: "/contacts",
    validateSearch: contactSearch,
    component: lazyRouteComponent(() => import("../features/contacts/ContactsPage"), "ContactsPage"),
  }),
  createRoute({ getParentRoute: () => shell, path: "/lists", component: lazyRouteComponent(() => import("../features/lists/ListsPage"), "ListsPage") }),
  createRoute({ getParentRoute: () => shell, path: "/tags", component: lazyRouteComponent(() => import("../features/contacts/TagsPage"), "TagsPage") }),
  createRoute({ getParentRoute: () => shell, path: "/trash", component: lazyRouteComponent(() => import("../features/trash/TrashPage"), "TrashPage") }),
  createRoute({ getParentRoute: () => shell, path: "/import", component: lazyRouteComponent(() => import("../features/import/ImportPage"), "ImportPage") }),
  createRoute({ getParentRoute: () => shell, path: "/imports", component: lazyRouteComponent(() => import("../features/import/HistoryPage"), "HistoryPage") }),
  createRoute({
    getParentRoute: () => shell,
    path: "/export",
    validateSearch: (s: Record<string, unknown>): { listId?: string | undefined } => ({ listId: text(s.listId) }),
    component: lazyRouteComponent(() => import("../features/export/ExportPage"), "ExportPage"),
  }),
  createRoute({ getParentRoute: () => shell, path: "/team", component: lazyRouteComponent(() => import("../features/team/TeamPage"), "TeamPage") }),
  createRoute({ getParentRoute: () => shell, path: "/organization", component: lazyRouteComponent(() => import("../features/organization/OrganizationPage"), "OrganizationPage") }),
  createRoute({ getParentRoute: () => shell, path: "/profile", component: lazyRouteComponent(() => import("../features/profile/ProfilePage"), "ProfilePage") }),
  createRoute({
    getParentRoute: () => shell,
    path: "/audit",
    validateSearch: (s: Record<string, unknown>): { page?: number | undefined } => ({ page: Number(s.page) > 1 ? Math.floor(Number(s.page)) : undefined }),
    component: lazyRouteComponent(() => import("../features/audit/AuditPage"), "AuditPage"),
  }),
] as const;

const tree = root.addChildren([...auth, signedIn.addChildren([welcome, shell.addChildren(pages)])]);

/** newRouter makes the customers' router. */
export function newRouter(queries: QueryClient) {
  return createRouter({
    routeTree: tree,
    context: { queries },
    ...routeStates,
  });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof newRouter>;
  }
}

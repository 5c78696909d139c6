import { RouterProvider } from "@tanstack/react-router";

import type { Loaders } from "../i18n/catalogue";
import { newQueryClient, start } from "../ui/start";
import { followSession } from "./follow";
import { BASE, newRouter } from "./router";

const loaders: Loaders = {
  en: async () => (await import("../i18n/messages/en/console")).default,
  fr: async () => (await import("../i18n/messages/fr/console")).default,
  sw: async () => (await import("../i18n/messages/sw/console")).default,
};

// Where staff have a listener of their own, its root serves this page too.
if (!`${location.pathname}/`.startsWith(`${BASE}/`)) history.replaceState(null, "", `${BASE}/`);

const queries = newQueryClient();
const router = newRouter(queries);
followSession(router, queries);
void start(loaders, queries, <RouterProvider router={router} />);

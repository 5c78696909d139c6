import { RouterProvider } from "@tanstack/react-router";

import type { Loaders } from "../i18n/catalogue";
import { newQueryClient, start } from "../ui/start";
import { followSession } from "./follow";
import { newRouter } from "./router";

const loaders: Loaders = {
  en: async () => (await import("../i18n/messages/en/customer")).default,
  fr: async () => (await import("../i18n/messages/fr/customer")).default,
  sw: async () => (await import("../i18n/messages/sw/customer")).default,
};

const queries = newQueryClient();
const router = newRouter(queries);
followSession(router, queries);
void start(loaders, queries, <RouterProvider router={router} />);

import { queryOptions } from "@tanstack/react-query";

import { unwrap } from "../../api/client";
import { api } from "../../customer/api";

/** The imports, the newest first. */
export const importsQuery = (page: number, pageSize: number) =>
  queryOptions({
    queryKey: ["imports", "page", page, pageSize],
    queryFn: () => unwrap(api.GET("/api/v1/contacts/imports", { params: { query: { page, pageSize } } })),
  });

/** One import's record. */
export const importQuery = (id: string) =>
  queryOptions({ queryKey: ["imports", "one", id], queryFn: () => unwrap(api.GET("/api/v1/contacts/imports/{id}", { params: { path: { id } } })) });

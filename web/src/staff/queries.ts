import { keepPreviousData, queryOptions } from "@tanstack/react-query";

import { unwrap } from "../api/client";
import type { components } from "../api/schema";
import { api } from "./api";
import type { OrganizationSearch } from "./organizations/search";
import { complete } from "./permissions";

export type Member = components["schemas"]["Member"];
export type Organization = components["schemas"]["Organization"];

/** The signed-in member. */
export const meQuery = queryOptions({ queryKey: ["me"], queryFn: () => unwrap(api.GET("/api/v1/admin/staff/me")), staleTime: 60_000 });

/** What the signed-in member may do. */
export const myPermissionsQuery = queryOptions({
  queryKey: ["me", "permissions"],
  queryFn: async () => complete((await unwrap(api.GET("/api/v1/admin/staff/me/permissions"))).permissions),
});

/** The whole staff; for owners. */
export const membersQuery = queryOptions({ queryKey: ["staff"], queryFn: () => unwrap(api.GET("/api/v1/admin/staff")) });

/** What a member may do; for owners. */
export const permissionsQuery = (id: string) =>
  queryOptions({
    queryKey: ["staff", id, "permissions"],
    queryFn: async () => complete((await unwrap(api.GET("/api/v1/admin/staff/{id}/permissions", { params: { path: { id } } }))).permissions),
  });

/** How many organizations a page shows. */
export const PAGE_SIZE = 25;

/** A page of the organizations that a search finds. The page before stays until the next one is there. */
export const organizationsQuery = ({ q, page }: OrganizationSearch) =>
  queryOptions({
    queryKey: ["organizations", q ?? "", page ?? 1],
    queryFn: ({ signal }) =>
      unwrap(api.GET("/api/v1/admin/accounts", { params: { query: { ...(q ? { search: q } : {}), page: page ?? 1, pageSize: PAGE_SIZE } }, signal })),
    placeholderData: keepPreviousData,
  });

/** One organization. */
export const organizationQuery = (id: string) =>
  queryOptions({
    queryKey: ["organizations", id],
    queryFn: () => unwrap(api.GET("/api/v1/admin/accounts/{id}", { params: { path: { id } } })),
  });

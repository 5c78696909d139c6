import { queryOptions } from "@tanstack/react-query";

import { unwrap } from "../api/client";
import { api } from "./api";

/** The signed-in user. */
export const meQuery = queryOptions({ queryKey: ["me"], queryFn: () => unwrap(api.GET("/api/v1/users/me")), staleTime: 60_000 });

/** The organization they work in. */
export const accountQuery = queryOptions({ queryKey: ["account"], queryFn: () => unwrap(api.GET("/api/v1/accounts/me")), staleTime: 60_000 });

/** All organizations they belong to. */
export const accountsQuery = queryOptions({ queryKey: ["accounts"], queryFn: () => unwrap(api.GET("/api/v1/accounts")), staleTime: 60_000 });

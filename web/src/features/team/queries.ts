import { queryOptions } from "@tanstack/react-query";

import { unwrap } from "../../api/client";
import type { components } from "../../api/schema";
import { api } from "../../customer/api";

export type Member = components["schemas"]["Summary"];
export type Invitation = components["schemas"]["Invitation"];

/** The people of the organization; owners see the deactivated ones too. */
export const teamQuery = (includeInactive: boolean) =>
  queryOptions({
    queryKey: ["team", "members", includeInactive],
    queryFn: () => unwrap(api.GET("/api/v1/users", { params: { query: includeInactive ? { includeInactive } : {} } })),
  });

/** The invitations nobody has accepted yet. */
export const invitationsQuery = queryOptions({ queryKey: ["team", "invitations"], queryFn: () => unwrap(api.GET("/api/v1/users/invitations")) });

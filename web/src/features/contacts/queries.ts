import { queryOptions, type QueryClient } from "@tanstack/react-query";

import { unwrap } from "../../api/client";
import type { components } from "../../api/schema";
import { api } from "../../customer/api";
import type { ContactSearch } from "./search";

export type Contact = components["schemas"]["Contact"];

/** Contacts that one request brings, the most the server gives. */
export const PAGE_SIZE = 100;

/** The parts of the address that choose contacts. */
export type Filter = Pick<ContactSearch, "q" | "list" | "tags" | "optedOut">;

/** filterOf leaves out what does not choose contacts, so that opening one reads nothing anew. */
export function filterOf({ q, list, tags, optedOut }: ContactSearch): Filter {
  return { q, list, tags, optedOut };
}

/** One page of the contacts that a filter chooses. */
export const contactsQuery = (filter: Filter, page: number) =>
  queryOptions({
    queryKey: ["contacts", "page", filter, page],
    queryFn: ({ signal }) => fetchPage(filter, page, signal),
  });

/** fetchPage reads one page. */
export function fetchPage(filter: Filter, page: number, signal?: AbortSignal) {
  const query = { page, pageSize: PAGE_SIZE, search: filter.q, listId: filter.list, tags: filter.tags, isOptedOut: filter.optedOut };
  return unwrap(api.GET("/api/v1/contacts", { params: { query }, signal }));
}

export const contactQuery = (id: string) =>
  queryOptions({ queryKey: ["contacts", "one", id], queryFn: () => unwrap(api.GET("/api/v1/contacts/{id}", { params: { path: { id } } })) });

export const tagsQuery = queryOptions({ queryKey: ["contacts", "tags"], queryFn: () => unwrap(api.GET("/api/v1/contacts/tags")) });

export const statsQuery = queryOptions({ queryKey: ["contacts", "stats"], queryFn: () => unwrap(api.GET("/api/v1/contacts/stats")) });

export const listsQuery = queryOptions({ queryKey: ["lists"], queryFn: () => unwrap(api.GET("/api/v1/contact-lists")) });

/** contactsChanged has everything read anew that contacts bear on. */
export async function contactsChanged(queries: QueryClient): Promise<void> {
  await Promise.all([queries.invalidateQueries({ queryKey: ["contacts"] }), queries.invalidateQueries({ queryKey: ["lists"] }), queries.invalidateQueries({ queryKey: ["trash"] })]);
}

/** fullName is what to call a contact, or "" when only the number is known. */
export function fullName(contact: Pick<Contact, "firstName" | "lastName">): string {
  return [contact.firstName, contact.lastName].filter(Boolean).join(" ");
}

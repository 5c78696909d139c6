import { keepPreviousData, useQueries, useQuery } from "@tanstack/react-query";

import { contactsQuery, PAGE_SIZE, type Contact, type Filter } from "./queries";

/**
 * Rows that the table can scroll through. Browsers clip elements beyond some
 * millions of pixels; past this a search or a filter is the better way anyway.
 */
export const MAX_ROWS = 200_000;

/** Pages is a long list of which only the parts in sight are read. */
export interface Pages {
  total: number | undefined;
  rows: number;
  at(index: number): Contact | undefined;
  loaded: Contact[];
  error: Error | null;
  retry(): void;
  /** What is shown belongs to the filter before. */
  stale: boolean;
}

/** usePages reads the pages that hold the rows from first to last. */
export function usePages(filter: Filter, first: number, last: number): Pages {
  const head = useQuery({ ...contactsQuery(filter, 1), placeholderData: keepPreviousData });
  const wanted: number[] = [];
  for (let page = Math.max(2, pageOf(first)); page <= pageOf(last); page++) wanted.push(page);
  const others = useQueries({ queries: wanted.map((page) => contactsQuery(filter, page)) });

  const pages = new Map<number, Contact[]>([[1, head.data?.contacts ?? []]]);
  wanted.forEach((page, i) => pages.set(page, others[i]?.data?.contacts ?? []));
  const total = head.data?.total;
  const failed = [head, ...others].find((query) => query.isError);
  return {
    total,
    rows: Math.min(total ?? 0, MAX_ROWS),
    at: (index) => pages.get(pageOf(index))?.[index % PAGE_SIZE],
    loaded: [...pages.values()].flat(),
    error: failed?.error ?? null,
    retry: () => void failed?.refetch(),
    stale: head.isPlaceholderData,
  };
}

const pageOf = (index: number) => Math.floor(index / PAGE_SIZE) + 1;

import { useMemo, useState } from "react";

import { fetchPage, PAGE_SIZE, type Contact, type Filter } from "./queries";

/** Contacts that one bulk action takes, the most the server does at once. */
export const MAX_SELECTED = 10_000;

/** Selection is the set of contacts that a bulk action will work on. */
export interface Selection {
  readonly contacts: Contact[];
  has(id: string): boolean;
  toggle(contact: Contact): void;
  add(contacts: Contact[]): void;
  clear(): void;
}

/** useSelection keeps the selected contacts of one page. */
export function useSelection(): Selection {
  const [chosen, setChosen] = useState<ReadonlyMap<string, Contact>>(new Map());
  return useMemo(
    () => ({
      contacts: [...chosen.values()],
      has: (id) => chosen.has(id),
      toggle: (contact) =>
        setChosen((before) => {
          const next = new Map(before);
          if (!next.delete(contact.id)) next.set(contact.id, contact);
          return next;
        }),
      add: (contacts) => setChosen((before) => new Map([...before, ...contacts.map((c) => [c.id, c] as const)].slice(0, MAX_SELECTED))),
      clear: () => setChosen(new Map()),
    }),
    [chosen],
  );
}

/** fetchMatching reads every contact that a filter chooses, up to what one action takes. */
export async function fetchMatching(filter: Filter, total: number): Promise<Contact[]> {
  const pages = Math.ceil(Math.min(total, MAX_SELECTED) / PAGE_SIZE);
  const found: Contact[] = [];
  for (let page = 1; page <= pages; page++) found.push(...(await fetchPage(filter, page)).contacts);
  return found;
}

/** What the address of the contacts page says: the filter, and the contact that is open. */
export interface ContactSearch {
  q?: string | undefined;
  list?: string | undefined;
  /** Comma-separated; a contact must have all of them. */
  tags?: string | undefined;
  optedOut?: boolean | undefined;
  /** Id of the contact in the drawer, or "new". */
  open?: string | undefined;
}

const text = (value: unknown) => (typeof value === "string" || typeof value === "number" ? String(value).slice(0, 200) || undefined : undefined);

/** contactSearch reads an address, however it was written by hand. */
export function contactSearch(raw: Record<string, unknown>): ContactSearch {
  return {
    q: text(raw.q),
    list: text(raw.list),
    tags: text(raw.tags),
    optedOut: typeof raw.optedOut === "boolean" ? raw.optedOut : undefined,
    open: text(raw.open),
  };
}

/** isFiltered tells whether some contacts are left out. */
export function isFiltered(search: ContactSearch): boolean {
  return search.q !== undefined || search.list !== undefined || search.tags !== undefined || search.optedOut !== undefined;
}

/** What the address of the organizations page says. */
export interface OrganizationSearch {
  /** Part of a name. */
  q?: string | undefined;
  /** Absent on the first page. */
  page?: number | undefined;
}

/** organizationSearch reads an address, however it was written by hand. */
export function organizationSearch(raw: Record<string, unknown>): OrganizationSearch {
  const q = typeof raw.q === "string" || typeof raw.q === "number" ? String(raw.q).trim().slice(0, 200) : "";
  const page = Math.floor(Number(raw.page));
  return { q: q || undefined, page: page > 1 && page <= 1_000_000 ? page : undefined };
}

import { describe, expect, it } from "vitest";

import { organizationSearch } from "./search";

describe("organizationSearch", () => {
  it("keeps a search and a page", () => {
    expect(organizationSearch({ q: "school", page: 3 })).toEqual({ q: "school", page: 3 });
  });

  it("takes a name of digits, which the router reads as a number", () => {
    expect(organizationSearch({ q: 254 })).toEqual({ q: "254", page: undefined });
  });

  it.each([{ page: 1 }, { page: 0 }, { page: -2 }, { page: "x" }, { page: 1e9 }, { page: Infinity }, {}])("is on the first page for %j", (raw) => {
    expect(organizationSearch(raw).page).toBeUndefined();
  });

  it("leaves out a blank search and bounds a long one", () => {
    expect(organizationSearch({ q: "  " }).q).toBeUndefined();
    expect(organizationSearch({ q: { a: 1 } }).q).toBeUndefined();
    expect(organizationSearch({ q: "x".repeat(999) }).q).toHaveLength(200);
  });
});

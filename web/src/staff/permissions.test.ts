import { describe, expect, it } from "vitest";

import { changes, complete, includes, levels, modules } from "./permissions";

describe("includes", () => {
  it("lets each level do what needs itself or one before it", () => {
    for (const [i, level] of levels.entries()) {
      for (const [j, needed] of levels.entries()) expect(includes(level, needed)).toBe(i >= j);
    }
  });
});

describe("complete", () => {
  it("puts modules that were never set at none", () => {
    expect(complete({ billing: "read" })).toEqual({ crm: "none", "sender-ids": "none", billing: "read", pricing: "none" });
  });

  it("leaves out modules this console does not know", () => {
    expect(Object.keys(complete({ crm: "admin", campaigns: "owner" } as object))).toEqual([...modules]);
  });
});

describe("changes", () => {
  const before = complete({ crm: "read" });

  it("names only modules whose level differs", () => {
    expect(changes(before, { ...before, crm: "admin", pricing: "read" })).toEqual({ crm: "admin", pricing: "read" });
  });

  it("is empty when a choice was taken back", () => {
    expect(changes(before, { ...before, crm: "read" })).toEqual({});
  });

  it("leads from what was to what is wanted", () => {
    const after = complete({ "sender-ids": "owner", billing: "admin" });
    expect({ ...before, ...changes(before, after) }).toEqual(after);
  });
});

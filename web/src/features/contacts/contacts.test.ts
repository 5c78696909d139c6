import { describe, expect, it } from "vitest";

import { growth, top } from "../dashboard/series";
import { countCsv } from "../export/csv";
import { fileNameOf } from "../export/save";
import { daysLeft } from "../trash/daysLeft";
import { contactSearch, isFiltered } from "./search";

describe("the address of the contacts page", () => {
  it("is read however it was written", () => {
    expect(contactSearch({ q: 254712, optedOut: true, tags: "a,b", list: "" })).toEqual({ q: "254712", optedOut: true, tags: "a,b", list: undefined, open: undefined });
    expect(contactSearch({ q: ["x"], optedOut: "yes" })).toEqual({ q: undefined, optedOut: undefined, tags: undefined, list: undefined, open: undefined });
  });

  it("tells a filter from an open contact", () => {
    expect(isFiltered({ open: "new" })).toBe(false);
    expect(isFiltered({ optedOut: false })).toBe(true);
  });
});

describe("daysLeft", () => {
  const day = 24 * 60 * 60 * 1000;
  it.each([
    [0, 90],
    [1, 90],
    [day, 89],
    [89 * day + 1, 1],
    [90 * day, 0],
    [200 * day, 0],
  ])("after %i ms is %i", (age, left) => {
    expect(daysLeft(new Date(0).toISOString(), age)).toBe(left);
  });
});

describe("series", () => {
  it("gathers what is beyond the top", () => {
    const bars = [1, 5, 3, 2].map((count, i) => ({ name: String(i), count }));
    expect(top(bars, 2, "Others")).toEqual([
      { name: "1", count: 5 },
      { name: "2", count: 3 },
      { name: "Others", count: 3 },
    ]);
  });

  it("counts back from today's total, never below nothing", () => {
    const days = [
      { day: "1", added: 9 },
      { day: "2", added: 2 },
      { day: "3", added: 1 },
    ];
    expect(growth(days, 4).map((entry) => entry.total)).toEqual([1, 3, 4]);
  });
});

describe("exports", () => {
  it("count records, not lines", async () => {
    expect(await countCsv(new Blob(['phone,notes\r\n+1,"a\nb"\r\n+2,x\r\n']))).toBe(2);
    expect(await countCsv(new Blob(["phone\n+1"]))).toBe(1);
    expect(await countCsv(new Blob([]))).toBe(0);
  });

  it("take the name that the server gives", () => {
    const named = (header: string) => fileNameOf(new Response(null, { headers: { "Content-Disposition": header } }), "x.csv");
    expect(named('attachment; filename="contacts.csv"')).toBe("contacts.csv");
    expect(named("attachment; filename=\"a.csv\"; filename*=UTF-8''Caf%C3%A9.csv")).toBe("Café.csv");
    expect(named("inline")).toBe("x.csv");
  });
});

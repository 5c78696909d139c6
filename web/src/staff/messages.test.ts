import { describe, expect, it } from "vitest";

import type { Messages } from "../i18n/catalogue";
import customers from "../i18n/messages/en/customer";
import en from "../i18n/messages/en/console";
import fr from "../i18n/messages/fr/console";
import sw from "../i18n/messages/sw/console";

const english: Record<string, string> = en;

describe.each([
  ["French", fr as Messages],
  ["Swahili", sw as Messages],
])("in %s the staff console", (_, messages) => {
  it("says everything that it says in English, and nothing else", () => {
    expect(Object.keys(messages).sort()).toEqual(Object.keys(english).sort());
  });

  it("names the same things", () => {
    const names = (text = "") => [...text.matchAll(/\{\w+\}/g)].map(String).sort();
    for (const [key, text] of Object.entries(messages)) expect([key, ...names(text)]).toEqual([key, ...names(english[key])]);
  });
});

describe("the staff console", () => {
  // The compiler knows the messages of both consoles, but this one loads only its own.
  const sources = import.meta.glob(["./**/*.tsx", "../ui/*.{ts,tsx}", "../features/auth/{AuthLayout,PasswordPages}.tsx"], { query: "?raw", import: "default", eager: true });

  it("uses no message that only the customers' console has", () => {
    const used = Object.values(sources).flatMap((source) => [...String(source).matchAll(/"([a-z]+\.[\w.-]+)"/g)].map((match) => match[1] ?? ""));
    expect(used).toContain("staff.suspend");
    expect(used.filter((key) => key in customers && !(key in english))).toEqual([]);
  });
});

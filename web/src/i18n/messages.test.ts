import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { translator } from "./translate";

const folder = join(import.meta.dirname, "messages");
const files = readdirSync(join(folder, "en")).filter((name) => name.endsWith(".json"));
const read = (language: string, file: string) => JSON.parse(readFileSync(join(folder, language, file), "utf8")) as Record<string, string>;
const names = (message: string) => [...message.matchAll(/\{(\w+)\}/g)].map((match) => match[1]).sort();

describe.each(["fr", "sw"])("the messages in %s", (language) => {
  it.each(files)("have every key of %s, and no other", (file) => {
    expect(Object.keys(read(language, file)).sort()).toEqual(Object.keys(read("en", file)).sort());
  });

  it.each(files)("name the same values as in English in %s", (file) => {
    const english = read("en", file);
    for (const [key, message] of Object.entries(read(language, file))) {
      expect(message.trim(), key).not.toBe("");
      expect(new Set(names(message)), key).toEqual(new Set(names(english[key] ?? "")));
    }
  });
});

describe("the messages in English", () => {
  it("stand in one file each, but for those that the staff's pages say in other words", () => {
    const all = files.filter((file) => file !== "staff.json").flatMap((file) => Object.keys(read("en", file)));
    expect(all.filter((key, i) => all.indexOf(key) !== i)).toEqual([]);
  });
});

describe("translator", () => {
  const messages = { "contacts.total_one": "{count} contact", "contacts.total_other": "{count} contacts", "shell.account": "Your account: {name}" };

  it("fills in values, and leaves what looks like one in them alone", () => {
    expect(translator("en", messages)("shell.account", { name: "{count}" })).toBe("Your account: {count}");
  });

  it("counts by the rule of the language", () => {
    const count = (language: "en" | "fr", n: number) => translator(language, messages).count("contacts.total", n);
    expect(count("en", 0)).toBe("0 contacts");
    expect(count("fr", 0)).toBe("0 contact");
    expect(count("en", 1)).toBe("1 contact");
    expect(count("en", 12345)).toBe("12,345 contacts");
  });
});

import { describe, expect, it } from "vitest";

import { checkPhone, formatPhone, formatTyped } from "./phone";
import { accepted, networkOf, parse } from "./registry";

describe("checkPhone", () => {
  it.each([
    ["+254 712 345 678", undefined, "+254712345678"],
    ["00254712345678", undefined, "+254712345678"],
    ["0712 345 678", "KE", "+254712345678"],
    ["712345678", "KE", "+254712345678"],
    ["+2348031234567", "KE", "+2348031234567"],
  ])("reads %s in %s", (input, country, international) => {
    expect(checkPhone(input, country)).toMatchObject({ ok: true, international });
  });

  it.each([
    ["", "KE", "empty"],
    ["0712", "KE", "tooShort"],
    ["+254 712 345 678 901 234", "KE", "tooLong"],
    ["call me", "KE", "notANumber"],
    ["0712345678", undefined, "notANumber"],
  ])("refuses %j in %s: %s", (input, country, reason) => {
    expect(checkPhone(input, country)).toEqual({ ok: false, reason });
  });
});

describe("formatting", () => {
  it("groups a number while it is typed", () => {
    expect(formatTyped("0712345678", "KE")).toBe("0712 345678");
    expect(formatTyped("00254712345678")).toBe("+254 712 345678");
  });

  it("groups a stored number, and leaves what is none", () => {
    expect(formatPhone("+254712345678")).toBe("+254 712 345678");
    expect(formatPhone("+999123")).toBe("+999123");
  });
});

describe("the registry", () => {
  it("names the operator by the longest prefix", () => {
    expect(networkOf("+254712345678")).toEqual({ country: "KE", operator: "Safaricom" });
    expect(networkOf("+4915112345678")).toBeNull();
  });

  it("knows what the server stores", () => {
    expect(accepted("254712345678")).toBe(true);
    expect(accepted("25471234")).toBe(false); // no Kenyan number is that short
    expect(accepted("4915112345678")).toBe(true); // not a country of the registry
    expect(accepted("0712345678")).toBe(false);
    expect(accepted("123456")).toBe(false);
    expect(accepted("1234567890123456")).toBe(false);
  });

  it("has the 53 countries and 151 prefixes of the file", async () => {
    const { default: text } = await import("../../../../internal/phone/registry.txt?raw");
    const { countries, prefixes } = parse(text);
    expect(countries).toHaveLength(53);
    expect(prefixes.size).toBe(151);
  });
});

import { describe, expect, it } from "vitest";

import { isPhone, phoneOf } from "./phone";

describe("isPhone", () => {
  it.each(["+254712345678", "0712 345 678", "(020) 222-1111", "12345", " 020/2221111 "])("takes %j", (typed) => {
    expect(isPhone(typed)).toBe(true);
  });

  it.each(["", "1234", "1234567890123456", "0712 345 678 ext. 2", "call me", "+".repeat(30) + "12345"])("refuses %j", (typed) => {
    expect(isPhone(typed)).toBe(false);
  });
});

describe("phoneOf", () => {
  it("removes the number when the field is emptied", () => {
    expect(phoneOf("  ")).toBeNull();
    expect(phoneOf(" 0712 345 678 ")).toBe("0712 345 678");
  });
});

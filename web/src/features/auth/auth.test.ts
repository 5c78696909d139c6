// @vitest-environment happy-dom
import { afterEach, describe, expect, it, vi } from "vitest";

import { begin, begunHere, providerName, readKept, returned } from "./providers";
import { fragmentToken } from "./token";

describe("fragmentToken", () => {
  it.each([
    ["#token=abc", "abc"],
    ["#token=a%2Bb", "a+b"],
    ["", ""],
    ["#other=abc", ""],
  ])("reads %j", (hash, token) => {
    expect(fragmentToken(hash)).toBe(token);
  });
});

describe("providerName", () => {
  it.each([
    ["https://accounts.google.com/o/oauth2/v2/auth?x=1", "Google"],
    ["https://login.microsoftonline.com/common/oauth2", "Microsoft"],
    ["https://github.com/login/oauth/authorize", "GitHub"],
    ["https://appleid.apple.com/auth/authorize", "Apple"],
    ["https://google.com.example.com/", ""],
    ["/dev/idp/idp_a", ""],
  ])("of %s is %j", (url, name) => {
    expect(providerName(url)).toBe(name);
  });
});

describe("readKept", () => {
  const kept = JSON.stringify({ at: 1000, providers: [{ slot: "idp_a", name: "Google" }] });

  it("keeps an answer for an hour", () => {
    expect(readKept(kept, 1000 + 3_599_000)).toEqual([{ slot: "idp_a", name: "Google" }]);
    expect(readKept(kept, 1000 + 3_601_000)).toBeNull();
  });

  it.each([null, "", "{}", '{"at":1000,"providers":[{"slot":"evil","name":"x"}]}'])("does not take %j", (text) => {
    expect(readKept(text, 1000)).toBeNull();
  });
});

describe("returned", () => {
  it("reads the query, and the fragment of a provider that posts", () => {
    expect(returned({ code: "c", state: "s" }, "")).toEqual({ code: "c", state: "s" });
    expect(returned({}, "#code=c&state=s&firstName=Neema")).toEqual({ code: "c", state: "s", firstName: "Neema" });
    expect(returned({}, "#error=access_denied")).toEqual({ error: "access_denied" });
  });
});

describe("begunHere", () => {
  afterEach(() => void vi.unstubAllGlobals());

  const begun = async (state: string) => {
    vi.stubGlobal("fetch", () => Promise.resolve(Response.json({ url: `https://provider.example.com/authorize?client_id=c&state=${state}` })));
    await begin("idp_a");
  };

  it("takes the state that this tab began with, once", async () => {
    await begun("mine");
    expect(begunHere("idp_a", "mine")).toBe(true);
    expect(begunHere("idp_a", "mine")).toBe(false);
  });

  it.each([
    ["another state", "idp_a", "theirs"],
    ["another provider", "idp_b", "mine"],
    ["no state", "idp_a", undefined],
  ])("refuses %s", async (_, slot, state) => {
    await begun("mine");
    expect(begunHere(slot, state)).toBe(false);
  });

  it("refuses a return in a tab that began nothing", () => {
    expect(begunHere("idp_a", "theirs")).toBe(false);
    expect(begunHere("idp_a", undefined)).toBe(false);
  });
});

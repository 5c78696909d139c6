import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { call, person, register, signIn, t, visit, type Visit } from "./customers";
import { launch, look, startServer, type Server } from "./harness";

/** A name as long as the server takes, without a place to break it. */
const long = (start: string) => start.padEnd(100, "n");

const amara = { ...person("Amara"), lastName: long("Nwachukwu"), accountName: long("Ushirika") };
const pages = ["/", "/contacts", "/lists", "/tags", "/trash", "/import", "/imports", "/export", "/team", "/organization", "/profile", "/audit"];

let server: Server;
let browser: Browser;
let own: Visit;
let page: Page;

beforeAll(async () => {
  [server, browser] = await Promise.all([startServer(), launch()]);
  const token = await register(server, amara);
  const contacts = Array.from({ length: 40 }, (_, i) => ({
    firstName: i === 0 ? long("Oluwaseun") : "Juma",
    lastName: i === 0 ? long("Adeyemi") : `Example ${i}`,
    phone: `+2547${String(30_000_000 + i)}`,
    email: i === 0 ? `${"amani".repeat(12)}@example.com` : "",
    tags: Array.from({ length: 25 }, (_, k) => (i === 0 && k === 0 ? "t".repeat(50) : `tag ${i * 25 + k}`)),
  }));
  await call(server, "/api/v1/contacts/bulk", { contacts }, token);
  await call(server, "/api/v1/contact-lists", { name: long("Wanachama"), description: long("Watu").repeat(4) }, token);
  await call(server, "/api/v1/users/invitations", { email: `${"mgeni".repeat(12)}@example.com`, role: "member" }, token);
  const found = (await (await fetch(`${server.url}/api/v1/contacts?search=Oluwaseun`, { headers: { Authorization: `Bearer ${token}` } })).json()) as { contacts: { id: string }[] };
  await call(server, "/api/v1/contacts/bulk-delete", { ids: found.contacts.map(({ id }) => id) }, token);
  await call(server, "/api/v1/contacts/bulk", { contacts: contacts.slice(0, 1) }, token);
  own = await visit(browser, server);
  page = own.page;
  await page.goto(`${server.url}/login`);
  await signIn(page, server, amara);
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

/** settled waits until the page has nothing more to fetch. */
const settled = () => page.waitForLoadState("networkidle");

describe("every page", () => {
  it.each(["en", "fr", "sw"])("holds long names and a thousand tags, in %s and on a phone", async (language) => {
    await page.evaluate((to) => localStorage.setItem("ujumbe.language", to), language);
    for (const path of pages) {
      await page.goto(server.url + path);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await settled();
      await look(page, `states-${language}-${path.slice(1) || "dashboard"}`, { kinds: language === "en" ? ["phone", "light"] : ["phone"], fullPage: path !== "/contacts" });
    }
  });

  it("is served under a policy that lets nothing in from elsewhere", async () => {
    for (const path of ["/", "/contacts", "/admin/"]) {
      const policy = (await fetch(server.url + path)).headers.get("Content-Security-Policy") ?? "";
      expect(policy).toContain("default-src 'self'");
      expect(policy).toContain("script-src 'self';");
      expect(policy).not.toMatch(/https?:|\*|unsafe-eval/);
    }
  });

  it("finds one of a thousand tags", async () => {
    await page.evaluate(() => localStorage.removeItem("ujumbe.language"));
    await page.goto(`${server.url}/tags`);
    await page.getByLabel(t("tags.search")).fill("tag 99");
    await page.getByRole("link", { name: "tag 999" }).waitFor();
    expect(await page.getByRole("main").getByRole("listitem").count()).toBe(11);
    await page.goto(`${server.url}/contacts`);
    await page.getByRole("combobox", { name: t("contacts.filterTags") }).fill("tag 512");
    await page.getByRole("option", { name: "tag 512" }).click();
    await page.getByText(t.count("contacts.total", 1)).waitFor();
  });

  it("stands still while it loads over a slow link", async () => {
    const slow = await own.another();
    await slow.setViewportSize({ width: 1280, height: 800 });
    await slow.addInitScript(() => {
      const shifts = ((globalThis as unknown as { shifts: number[] }).shifts = []) as number[];
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries() as unknown as { value: number; hadRecentInput: boolean }[]) if (!entry.hadRecentInput) shifts.push(entry.value);
      }).observe({ type: "layout-shift", buffered: true });
    });
    await slow.route("**/api/**", async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 400));
      await route.continue().catch(() => undefined);
    });
    const jumps: string[] = [];
    for (const path of pages) {
      await slow.goto(server.url + path);
      await slow.getByRole("heading", { level: 1 }).waitFor();
      await slow.waitForLoadState("networkidle");
      const shift = await slow.evaluate(() => (globalThis as unknown as { shifts: number[] }).shifts.reduce((sum, value) => sum + value, 0));
      if (shift > 0.1) jumps.push(`${path} jumps by ${shift.toFixed(2)}`);
    }
    expect(jumps).toEqual([]);
    await slow.close();
  });

  it("says so when the server fails, and goes on by another try", async () => {
    const asked: Record<string, string> = {
      "/": "**/api/v1/contacts/stats*",
      "/contacts": "**/api/v1/contacts?*",
      "/lists": "**/api/v1/contact-lists*",
      "/tags": "**/api/v1/contacts/tags*",
      "/trash": "**/api/v1/contacts/trash*",
      "/imports": "**/api/v1/contacts/imports*",
      "/team": "**/api/v1/users*",
      "/organization": "**/api/v1/accounts/me",
      "/audit": "**/api/v1/accounts/me/audit*",
    };
    const problem = { status: 500, code: "internal", detail: "Something went wrong.", requestId: "req-1" };
    for (const [path, api] of Object.entries(asked)) {
      await page.route(api, (route) => route.fulfill({ status: 500, contentType: "application/problem+json", body: JSON.stringify(problem) }));
      await page.goto(server.url + path);
      const alert = page.getByRole("main").getByRole("alert").first();
      await alert.getByText(t("error.internal")).waitFor();
      if (path === "/contacts") await look(page, "states-failure");
      await page.unroute(api);
      await alert.getByRole("button", { name: t("action.retry") }).click();
      await alert.waitFor({ state: "detached" }).catch(() => expect.fail(`${path} does not recover`));
    }
  });

  it("can be used by the keyboard alone, which always sees where it is", async () => {
    await page.setViewportSize({ width: 1280, height: 800 });
    for (const path of ["/contacts", "/import", "/team", "/profile"]) {
      await page.goto(server.url + path);
      await settled();
      const hidden: string[] = [];
      for (let i = 0; i < 40; i++) {
        await page.keyboard.press("Tab");
        const unseen = await page.evaluate(() => {
          const focused = document.activeElement;
          if (!focused || focused === document.body) return null;
          // A field made of several parts shows its focus at its edge.
          for (let element: Element | null = focused, i = 0; element && i < 4; element = element.parentElement, i++) {
            if (!["none", "hidden"].includes(getComputedStyle(element).outlineStyle)) return null;
          }
          return focused.outerHTML.slice(0, 200);
        });
        if (unseen) hidden.push(unseen);
      }
      expect(hidden, path).toEqual([]);
    }

    await page.goto(`${server.url}/contacts`);
    await settled();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter"); // past the navigation
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("main");
    const contact = page.getByRole("button", { name: "Juma Example 7" });
    await contact.focus();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").getByLabel(t("field.phone")).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await contact.evaluate((element) => element === document.activeElement)).toBe(true);
    own.check();
  });
});

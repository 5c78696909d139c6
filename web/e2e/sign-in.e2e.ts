import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { call, person, signIn, t, visit, type Visit } from "./customers";
import { launch, look, startServer, until, type Server } from "./harness";

const amina = person("Amina");

let server: Server;
let browser: Browser;
let first: Visit;
let page: Page;

beforeAll(async () => {
  [server, browser] = await Promise.all([startServer(), launch()]);
  first = await visit(browser, server);
  page = first.page;
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

describe("signing in", () => {
  it("leads from a form to a mail, and from its link into the console", async () => {
    await page.goto(`${server.url}/contacts`);
    await page.getByRole("heading", { name: t("auth.signIn") }).waitFor();
    await look(page, "login");
    await page.getByRole("link", { name: t("auth.register") }).click();
    await page.getByRole("button", { name: t("auth.register") }).click();
    await page.getByText(t("form.required")).first().waitFor();
    await look(page, "register-incomplete");
    await page.getByLabel(t("field.organization")).fill(amina.accountName);
    await page.getByLabel(t("field.firstName")).fill(amina.firstName);
    await page.getByLabel(t("field.lastName")).fill(amina.lastName);
    await page.getByLabel(t("field.email")).fill(amina.email);
    await page.getByLabel(t("field.password"), { exact: true }).fill(amina.password);
    await page.getByRole("button", { name: t("auth.register") }).click();
    await page.getByRole("heading", { name: t("auth.checkMail") }).waitFor();
    await look(page, "check-mail");

    const link = await server.link(amina.email, "/verify-email");
    await page.goto(link);
    await page.reload(); // as a scanner that opens links does
    await page.getByRole("button", { name: t("auth.verify") }).waitFor();
    await look(page, "verify");
    await page.getByRole("button", { name: t("auth.verify") }).click();
    await page.getByRole("heading", { name: t("dashboard.title", { name: amina.firstName }) }).waitFor();
    expect(page.url()).not.toContain("token");
    await look(page, "dashboard-empty");
  });

  it("keeps the session through a reload and ends it in every tab", async () => {
    const other = await first.another();
    await other.goto(`${server.url}/lists`);
    await other.getByRole("heading", { level: 1, name: t("nav.lists") }).waitFor();
    await page.reload();
    await page.getByRole("button", { name: t("shell.account", { name: "Amina Example" }) }).click();
    await page.getByRole("menuitem", { name: t("shell.signOut") }).click();
    await page.getByRole("heading", { name: t("auth.signIn") }).waitFor();
    await other.getByRole("heading", { name: t("auth.signIn") }).waitFor();
    expect(await page.evaluate("Object.keys(localStorage).filter((key) => key.includes('refresh'))")).toEqual([]);
    await other.close();
  });

  it("survives a reload while the token is being exchanged", async () => {
    const slow = await visit(browser, server);
    await signIn(slow.page, server, amina);
    // The answer to each exchange takes its time, as over a slow link; the server has spent the token by then.
    let exchanges = 0;
    let release = () => undefined as void;
    const held = new Promise<void>((resolve) => (release = resolve));
    await slow.context.route("**/api/v1/auth/refresh", async (route) => {
      exchanges++;
      const answer = await route.fetch();
      await held;
      await route.fulfill({ response: answer });
    });
    await slow.page.reload();
    await until("an exchange is under way", async () => exchanges === 1);
    await slow.page.reload();
    await slow.page.getByRole("status", { name: t("shell.loading") }).waitFor();
    release();
    await slow.page.getByRole("heading", { level: 1, name: t("dashboard.title", { name: amina.firstName }) }).waitFor();
    expect(exchanges).toBe(1);
    await slow.page.reload(); // by the token that came of it
    await slow.page.getByRole("heading", { level: 1, name: t("dashboard.title", { name: amina.firstName }) }).waitFor();
    slow.check();
    await slow.context.close();
  });

  it("says what to do when the password is wrong", async () => {
    await page.getByLabel(t("field.email")).fill(amina.email);
    await page.getByLabel(t("field.password"), { exact: true }).fill("not the password");
    await page.getByRole("button", { name: t("auth.signIn"), exact: true }).click();
    await page.getByRole("alert").getByText(t("error.invalid_credentials")).waitFor();
    await look(page, "login-refused");
  });

  it("signs in by a mailed link", async () => {
    await page.getByRole("button", { name: t("auth.useLink") }).click();
    await page.getByLabel(t("field.email")).fill(amina.email);
    await page.getByRole("button", { name: t("auth.sendLink") }).click();
    await page.getByText(t("auth.linkSent", { email: amina.email })).waitFor();
    const link = await server.link(amina.email, "/magic-link");
    await page.goto(link);
    await page.getByRole("button", { name: t("auth.signIn") }).waitFor();
    await look(page, "magic-link");

    // A newer link ends the first. Pasted into the same tab, it is the one that counts.
    await call(server, "/api/v1/auth/magic-link", { email: amina.email });
    const newer = await until("a second link has come", async () => {
      const found = await server.link(amina.email, "/magic-link");
      return found !== link && found;
    });
    await page.getByRole("button", { name: t("auth.signIn") }).click();
    await page.getByRole("alert").getByText(t("error.invalid_link")).waitFor();
    await page.goto(newer);
    await page.getByRole("alert").waitFor({ state: "detached" });
    await page.getByRole("button", { name: t("auth.signIn") }).click();
    await page.getByRole("heading", { name: t("dashboard.title", { name: amina.firstName }) }).waitFor();
  });

  it("resets a forgotten password, and the old session is gone", async () => {
    const elsewhere = await visit(browser, server);
    await elsewhere.page.goto(`${server.url}/forgot-password`);
    await look(elsewhere.page, "forgot-password");
    await elsewhere.page.getByLabel(t("field.email")).fill(amina.email);
    await elsewhere.page.getByRole("button", { name: t("auth.sendReset") }).click();
    await elsewhere.page.getByText(t("auth.resetSent", { email: amina.email })).waitFor();
    const link = await server.link(amina.email, "/reset-password");
    await elsewhere.page.goto(link);
    await look(elsewhere.page, "reset-password");
    amina.password = "a better password";
    await elsewhere.page.getByLabel(t("field.newPassword")).fill(amina.password);
    await elsewhere.page.getByRole("button", { name: t("auth.setPassword") }).click();
    await elsewhere.page.getByRole("heading", { name: t("auth.resetDone") }).waitFor();
    await look(elsewhere.page, "password-set");
    await elsewhere.page.getByRole("link", { name: t("auth.signIn") }).click();
    await elsewhere.page.getByLabel(t("field.email")).fill(amina.email);
    await elsewhere.page.getByLabel(t("field.password"), { exact: true }).fill(amina.password);
    await elsewhere.page.getByRole("button", { name: t("auth.signIn"), exact: true }).click();
    await elsewhere.page.getByRole("heading", { name: t("dashboard.title", { name: amina.firstName }) }).waitFor();
    elsewhere.check();
    await elsewhere.context.close();

    await page.goto(`${server.url}/team`);
    await page.getByRole("heading", { name: t("auth.signIn") }).waitFor();

    await page.goto(link); // a used link
    await page.getByLabel(t("field.newPassword")).fill("yet another password");
    await page.getByRole("button", { name: t("auth.setPassword") }).click();
    await page.getByRole("alert").getByText(t("error.invalid_link")).waitFor();
  });

  it("signs in through a provider, and asks for a name that it does not give", async () => {
    await page.goto(`${server.url}/login`);
    await page.getByRole("button", { name: t("auth.continueWithSlot", { letter: "D" }) }).click();
    await page.waitForURL("**/dev/idp/**");
    await page.getByLabel(/email/i).first().fill("fresh@example.com");
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("heading", { name: t("auth.welcomeTitle") }).waitFor();
    await look(page, "welcome");
    await page.getByLabel(t("field.firstName")).fill("Neema");
    await page.getByLabel(t("field.lastName")).fill("Example");
    await page.getByRole("button", { name: t("action.continue") }).click();
    await page.getByRole("heading", { name: t("dashboard.title", { name: "Neema" }) }).waitFor();
  });

  it("does not take a provider's answer to a sign-in that was begun elsewhere", async () => {
    const other = await visit(browser, server);
    await other.page.route("**/api/v1/auth/*/callback", (route) => route.abort());
    await other.page.goto(`${server.url}/login`);
    await other.page.getByRole("button", { name: t("auth.continueWithSlot", { letter: "A" }) }).click();
    await other.page.getByLabel(/email/i).first().fill("other@example.com");
    await other.page.getByRole("button", { name: "Continue" }).click();
    await other.page.getByRole("heading", { name: t("auth.providerFailed") }).waitFor();
    const planted = other.page.url(); // a code that nobody has spent
    await other.context.close();

    const victim = await visit(browser, server);
    await victim.page.goto(planted);
    await victim.page.getByRole("alert").getByText(t("error.provider_elsewhere")).waitFor();
    expect(await victim.page.evaluate("localStorage.getItem('ujumbe.customer.refresh')")).toBeNull();
    await look(victim.page, "provider-elsewhere");
    victim.check();
    await victim.context.close();
  });

  it("speaks French and Swahili", async () => {
    for (const [language, heading] of [
      ["Français", "Bonjour, Neema"],
      ["Kiswahili", "Habari, Neema"],
    ] as const) {
      await page.getByRole("button", { name: /^(Language|Langue|Lugha)$/ }).click();
      await page.getByRole("menuitem", { name: language }).click();
      await page.getByRole("heading", { name: heading }).waitFor();
      await look(page, `dashboard-${language}`);
    }
    await page.reload();
    await page.getByRole("heading", { name: "Habari, Neema" }).waitFor();
    first.check();
  });
});

import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import messages from "../src/i18n/messages/en/console";
import { translator } from "../src/i18n/translate";
import { call, person, register, visit, type Visit } from "./customers";
import { launch, look, owner, startServer, until, type Server } from "./harness";

const t = translator("en", messages);
const colleague = { name: "Wanjiru Test", email: "wanjiru@example.com", password: "another long password" };

let server: Server;
let browser: Browser;

beforeAll(async () => {
  [server, browser] = await Promise.all([startServer(), launch()]);
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

describe("the staff console", () => {
  const asha = person("Asha", "Kilimo School");
  let customerToken: string;
  let ownerVisit: Visit;
  let memberVisit: Visit;
  let ownerPage: Page;
  let memberPage: Page;

  it("tells nobody why a sign-in fails, and lets an owner in by keyboard alone", async () => {
    customerToken = await register(server, asha);
    ownerVisit = await visit(browser, server);
    ownerPage = ownerVisit.page;
    await ownerPage.goto(`${server.url}/admin/staff`);
    await ownerPage.getByRole("heading", { name: t("staff.signInTitle") }).waitFor();
    await look(ownerPage, "staff-login");

    await signInByKeyboard(ownerPage, owner.email, "a wrong password");
    await ownerPage.getByRole("alert").getByText(t("error.invalid_credentials")).waitFor();
    await look(ownerPage, "staff-login-refused");

    await signInByKeyboard(ownerPage, owner.email, owner.password);
    await ownerPage.getByRole("heading", { name: t("staff.members"), exact: true }).waitFor(); // where the address led
    expect(await storedSessions(ownerPage)).toEqual(["ujumbe.staff.refresh"]);
  });

  it("invites a member without a password and sets permissions", async () => {
    await look(ownerPage, "staff-members");
    await ownerPage.getByRole("button", { name: t("staff.add") }).click();
    const dialog = ownerPage.getByRole("dialog");
    await dialog.getByRole("button", { name: t("staff.addAndInvite") }).click();
    await dialog.getByText(t("form.required")).waitFor();
    await look(ownerPage, "staff-create");
    await dialog.getByLabel(t("staff.name")).fill(colleague.name);
    await dialog.getByLabel(t("field.email")).fill(owner.email);
    await dialog.getByRole("button", { name: t("staff.addAndInvite") }).click();
    await dialog.getByText(t("error.email_exists")).waitFor();
    await dialog.getByLabel(t("field.email")).fill(colleague.email);
    await dialog.getByRole("button", { name: t("staff.addAndInvite") }).click();
    await ownerPage.getByRole("heading", { name: colleague.name }).waitFor();
    await ownerPage.getByText(t("staff.invited", { email: colleague.email })).waitFor();
    await ownerPage.getByRole("radiogroup", { name: t("staff.module.crm") }).waitFor();
    await look(ownerPage, "staff-member");
  });

  it("spends the mailed link on submission and not before", async () => {
    const link = await server.link(colleague.email, "/admin/reset-password");
    memberVisit = await visit(browser, server);
    memberPage = memberVisit.page;
    await memberPage.goto(link);
    await memberPage.reload();
    await memberPage.getByRole("heading", { name: t("auth.resetTitle") }).waitFor();
    await look(memberPage, "staff-set-password");
    await memberPage.getByLabel(t("field.newPassword")).fill("short");
    await memberPage.getByRole("button", { name: t("auth.setPassword") }).click();
    await memberPage.getByText(t("form.passwordShort")).waitFor();
    await memberPage.getByLabel(t("field.newPassword")).fill(colleague.password);
    await memberPage.getByRole("button", { name: t("auth.setPassword") }).click();
    await memberPage.getByRole("heading", { name: t("auth.resetDone") }).waitFor();
    expect(memberPage.url()).not.toContain("token");
    await look(memberPage, "staff-password-set");

    await memberPage.goto("about:blank"); // else only the fragment would change
    await memberPage.goto(link);
    await memberPage.getByLabel(t("field.newPassword")).fill("a third long password");
    await memberPage.getByRole("button", { name: t("auth.setPassword") }).click();
    await memberPage.getByRole("alert").getByText(t("error.invalid_link")).waitFor();
  });

  it("shows a member without permissions why there is nothing to see", async () => {
    await memberPage.goto(`${server.url}/admin/`);
    await signInByKeyboard(memberPage, colleague.email, colleague.password);
    await memberPage.getByRole("heading", { name: t("staff.noPermission") }).waitFor();
    await look(memberPage, "staff-no-permission");
    await memberPage.getByRole("navigation", { name: t("shell.navigation") }).waitFor();
    expect(await memberPage.getByRole("link", { name: t("staff.members"), exact: true }).count()).toBe(0);
    await memberPage.goto(`${server.url}/admin/staff`);
    await memberPage.getByRole("heading", { name: t("staff.ownersOnly") }).waitFor();
    await look(memberPage, "staff-owners-only");
  });

  it("lets a member with level read look and not touch", async () => {
    // Another owner changes another module meanwhile; saving what this one changed must not undo it.
    const id = ownerPage.url().split("/").pop() ?? "";
    const { accessToken } = await call<{ accessToken: string }>(server, "/api/v1/admin/auth/login", owner);
    await send("PATCH", `/admin/staff/${id}/permissions`, accessToken, { permissions: { billing: "read" } });
    await grant(ownerPage, "read");
    expect(await (await send("GET", `/admin/staff/${id}/permissions`, accessToken)).json()).toMatchObject({ permissions: { crm: "read", billing: "read", pricing: "none" } });

    await memberPage.goto(`${server.url}/admin/organizations`);
    await memberPage.getByRole("link", { name: "Kilimo School" }).click();
    await memberPage.getByText(t("staff.lookOnly")).waitFor();
    expect(await memberPage.getByRole("button", { name: t("staff.suspend") }).count()).toBe(0);
    await look(memberPage, "staff-organization-read");
  });

  it("finds an organization as one types, keeps the search in the address, and suspends it", async () => {
    let token = customerToken;
    for (let i = 1; i <= 30; i++) {
      const made: { accessToken: string } = await call(server, "/api/v1/accounts", { name: `Example Organization ${i}` }, token);
      token = made.accessToken;
    }
    await grant(ownerPage, "admin");
    await memberPage.goto(`${server.url}/admin/organizations`);
    await memberPage.getByText(t.count("staff.total", 31)).waitFor();
    await look(memberPage, "staff-organizations");
    await memberPage.getByRole("button", { name: t("pager.next") }).click();
    await memberPage.getByText(t("pager.where", { page: 2, pages: 2 })).waitFor();
    expect(memberPage.url()).toContain("page=2");

    await memberPage.getByRole("searchbox").fill("no such name");
    await memberPage.getByRole("heading", { name: t("staff.noneFound") }).waitFor();
    await look(memberPage, "staff-organizations-none");
    await memberPage.getByRole("searchbox").fill("kilimo");
    await memberPage.getByText(t.count("staff.found", 1)).waitFor();
    expect(memberPage.url()).toContain("q=kilimo");
    expect(memberPage.url()).not.toContain("page=");
    await memberPage.reload();
    await memberPage.getByText(t.count("staff.found", 1)).waitFor();
    expect(await memberPage.getByRole("searchbox").inputValue()).toBe("kilimo");

    const contacts = () => send("GET", "/contacts", customerToken);
    expect((await contacts()).status).toBe(200);
    await memberPage.getByRole("button", { name: t("action.moreFor", { name: "Kilimo School" }) }).click();
    await memberPage.getByRole("menuitem", { name: t("staff.suspend") }).click();
    await memberPage.getByRole("dialog").getByText(t("staff.suspendText", { name: "Kilimo School" })).waitFor();
    await look(memberPage, "staff-suspend");
    await memberPage.getByRole("dialog").getByRole("button", { name: t("staff.suspend") }).click();
    await memberPage.getByText(t("staff.status.suspended"), { exact: true }).waitFor();
    const refused = await contacts();
    expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([403, "account_suspended"]);

    await memberPage.getByRole("link", { name: "Kilimo School" }).click();
    await memberPage.getByText(t("staff.isSuspended")).waitFor();
    await look(memberPage, "staff-organization");
    await memberPage.getByRole("button", { name: t("staff.reactivate") }).click();
    await memberPage.getByRole("dialog").getByRole("button", { name: t("staff.reactivate") }).click();
    await memberPage.getByText(t("staff.isSuspended")).waitFor({ state: "detached" });
    expect((await contacts()).status).toBe(200);
  });

  it("changes one's phone and password", async () => {
    await memberPage.goto(`${server.url}/admin/profile`);
    await memberPage.getByLabel(t("field.phone")).fill("call me");
    await memberPage.getByLabel(t("field.phone")).press("Enter");
    await memberPage.getByText(t("staff.phoneWrong")).waitFor();
    await memberPage.getByLabel(t("field.phone")).fill("0712 345 678");
    await memberPage.getByLabel(t("field.phone")).press("Enter");
    await memberPage.getByText(t("staff.saved")).waitFor();

    await memberPage.getByLabel(t("field.currentPassword")).fill("not the password");
    await memberPage.getByLabel(t("field.newPassword")).fill("a fourth long password");
    await memberPage.getByRole("button", { name: t("password.change") }).click();
    await memberPage.getByRole("alert").getByText(t("error.wrong_password")).waitFor();
    await look(memberPage, "staff-profile");
    await memberPage.getByLabel(t("field.currentPassword")).fill(colleague.password);
    await memberPage.getByRole("button", { name: t("password.change") }).click();
    await memberPage.getByText(t("password.changed")).waitFor();
    colleague.password = "a fourth long password";
  });

  it("speaks French and Swahili", async () => {
    for (const [language, name] of [
      ["fr", "Français"],
      ["sw", "Kiswahili"],
    ] as const) {
      await ownerPage.getByRole("button", { name: /^(Language|Langue|Lugha)/ }).click();
      await ownerPage.getByRole("menuitem", { name }).click();
      await until(`the page speaks ${name}`, () => ownerPage.evaluate(`document.documentElement.lang === "${language}"`) as Promise<boolean>);
      await look(ownerPage, `staff-member-${language}`);
    }
    await ownerPage.evaluate("localStorage.setItem('ujumbe.language', 'en')");
  });

  it("says in the server's words why an owner can't deactivate oneself", async () => {
    await ownerPage.goto(`${server.url}/admin/staff`);
    await ownerPage.getByRole("listitem").filter({ hasText: owner.email }).getByRole("link").click();
    await ownerPage.getByText(t("staff.ownerHasAll")).waitFor();
    await ownerPage.getByRole("button", { name: t("staff.deactivate") }).click();
    await ownerPage.getByRole("dialog").getByRole("button", { name: t("staff.deactivate") }).click();
    await ownerPage.getByRole("dialog").getByText(t("error.own_account")).waitFor();
    await look(ownerPage, "staff-deactivate-refused");
    await ownerPage.getByRole("dialog").getByRole("button", { name: t("action.cancel") }).click();
  });

  it("locks a deactivated member out at once, and says so plainly", async () => {
    await ownerPage.getByRole("link", { name: t("staff.allMembers") }).click();
    await ownerPage.getByRole("link", { name: colleague.name }).click();
    await ownerPage.getByLabel(t("staff.name")).fill("Wanjiru Example");
    await ownerPage.getByLabel(t("staff.name")).press("Enter");
    await ownerPage.getByRole("heading", { name: "Wanjiru Example" }).waitFor();
    await ownerPage.getByRole("button", { name: t("staff.deactivate") }).click();
    await ownerPage.getByRole("dialog").getByRole("button", { name: t("staff.deactivate") }).click();
    await ownerPage.getByRole("button", { name: t("staff.activate"), exact: true }).waitFor();
    await look(ownerPage, "staff-member-inactive");

    await memberPage.getByRole("link", { name: t("staff.organizations") }).click();
    await memberPage.getByRole("heading", { name: t("staff.signInTitle") }).waitFor();
    await signInByKeyboard(memberPage, colleague.email, colleague.password);
    await memberPage.getByRole("alert").getByText(t("error.staff_inactive")).waitFor();
    await memberPage.getByRole("link", { name: t("auth.forgot") }).click();
    await memberPage.getByLabel(t("field.email")).fill(colleague.email);
    await look(memberPage, "staff-forgot");
    await memberPage.getByRole("button", { name: t("auth.sendReset") }).click();
    await memberPage.getByText(t("auth.resetSent", { email: colleague.email })).waitFor();
  });

  it("signs out in every tab", async () => {
    const other = await ownerVisit.another();
    await other.goto(`${server.url}/admin/organizations`);
    await other.getByRole("heading", { name: t("staff.organizations") }).waitFor();
    await other.goto(`${server.url}/admin/nothing-here`);
    await other.getByRole("heading", { name: t("shell.notFound") }).waitFor();
    await look(other, "staff-not-found");
    await other.goto(`${server.url}/admin/organizations`);
    await other.getByRole("heading", { name: t("staff.organizations") }).waitFor();
    await ownerPage.getByRole("button", { name: t("shell.account", { name: "" }).trim() }).click();
    await ownerPage.getByRole("menuitem", { name: t("shell.signOut") }).click();
    for (const page of [ownerPage, other]) {
      await page.getByRole("heading", { name: t("staff.signInTitle") }).waitFor();
    }
    expect(await storedSessions(other)).toEqual([]);
  });

  it("met no error of its own and asked no other host", () => {
    ownerVisit.check();
    memberVisit.check();
  });
});

async function signInByKeyboard(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel(t("field.email")).focus();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type(email);
  await page.keyboard.press("Tab");
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type(password);
  await page.keyboard.press("Enter");
}

/** grant sets the colleague's level in the module crm. */
async function grant(page: Page, level: "read" | "admin"): Promise<void> {
  const saved = page.waitForResponse((response) => response.request().method() === "PATCH" && response.url().endsWith("/permissions"));
  await page.getByRole("radiogroup", { name: t("staff.module.crm") }).getByRole("radio", { name: t(`staff.level.${level}`) }).check();
  await page.locator("form", { has: page.getByRole("radiogroup") }).getByRole("button", { name: t("action.save") }).click();
  expect((await saved).status()).toBe(200);
}

async function storedSessions(page: Page): Promise<string[]> {
  return (await page.evaluate("Object.keys(localStorage).filter((key) => key.endsWith('.refresh'))")) as string[];
}

/** send calls the API past the console. */
function send(method: string, path: string, token: string, body?: unknown): Promise<Response> {
  return fetch(`${server.url}/api/v1${path}`, {
    method,
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
    body: body === undefined ? null : JSON.stringify(body),
  });
}

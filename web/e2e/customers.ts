import type { Browser, BrowserContext, Page } from "playwright-core";

import messages from "../src/i18n/messages/en/customer";
import { translator } from "../src/i18n/translate";
import { guard, type Server } from "./harness";

/** What the console says, so that tests follow its words. */
export const t = translator("en", messages);

/** Someone who uses the console. */
export interface Person {
  firstName: string;
  lastName: string;
  email: string;
  password: string;
  accountName: string;
}

/** person makes up someone of an organization. */
export function person(name: string, accountName = `${name} Cooperative`): Person {
  return { firstName: name, lastName: "Example", email: `${name.toLowerCase()}@example.com`, password: `the password of ${name}`, accountName };
}

/** register has someone register and verify their address, past the console. */
export async function register(server: Server, who: Person): Promise<string> {
  await call(server, "/api/v1/auth/register", who);
  const link = await server.link(who.email, "/verify-email");
  const { accessToken } = await call<{ accessToken: string }>(server, "/api/v1/auth/verify-email", { token: link.split("#token=")[1] });
  return accessToken;
}

/** call posts to the API. */
export async function call<T>(server: Server, path: string, body: unknown, token?: string): Promise<T> {
  const answer = await fetch(server.url + path, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...(token ? { Authorization: `Bearer ${token}` } : {}) },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as T;
}

/** Visit is a browser of one person, which notes every fault of its pages. */
export interface Visit {
  context: BrowserContext;
  page: Page;
  /** another opens a second tab of the same browser. */
  another(): Promise<Page>;
  /** Fails when a page met an error or asked another host for anything. */
  check(): void;
}

/** visit opens a browser of its own. */
export async function visit(browser: Browser, server: Server): Promise<Visit> {
  const context = await browser.newContext({ locale: "en-GB", timezoneId: "Africa/Nairobi", acceptDownloads: true });
  const checks: (() => void)[] = [];
  const another = async () => {
    const page = await context.newPage();
    page.setDefaultTimeout(20_000);
    checks.push(guard(page, server.url));
    return page;
  };
  return { context, page: await another(), another, check: () => checks.forEach((check) => check()) };
}

/** signIn fills in the sign-in page. */
export async function signIn(page: Page, server: Server, who: Person): Promise<void> {
  await page.goto(`${server.url}/login`);
  await page.getByLabel(t("field.email")).fill(who.email);
  await page.getByLabel(t("field.password"), { exact: true }).fill(who.password);
  await page.getByRole("button", { name: t("auth.signIn"), exact: true }).click();
  await page.getByRole("heading", { level: 1, name: t("dashboard.title", { name: who.firstName }) }).waitFor();
}

/** goTo follows the navigation to a page. */
export async function goTo(page: Page, name: string): Promise<void> {
  await page.getByRole("navigation").getByRole("link", { name, exact: true }).click();
}

import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { call, goTo, person, register, signIn, t, visit, type Visit } from "./customers";
import { launch, look, startServer, type Server } from "./harness";

const baraka = person("Baraka");
const firstNames = ["Wanjiru", "Otieno", "Achieng", "Kamau", "Zawadi", "Juma", "Halima", "Mutua"];

let server: Server;
let browser: Browser;
let own: Visit;
let page: Page;
let token: string;

beforeAll(async () => {
  [server, browser] = await Promise.all([startServer(), launch()]);
  token = await register(server, baraka);
  own = await visit(browser, server);
  page = own.page;
  await signIn(page, server, baraka);
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

describe("contacts", () => {
  it("begin with an empty page that says what to do", async () => {
    await goTo(page, t("nav.contacts"));
    await page.getByRole("heading", { name: t("contacts.none") }).waitFor();
    await look(page, "contacts-empty");
    await page.setViewportSize({ width: 360, height: 740 });
    await page.getByRole("button", { name: t("shell.menu") }).click();
    await page.getByRole("link", { name: t("nav.audit") }).waitFor();
    await look(page, "navigation", { kinds: ["phone", "phone-dark"] });
    await page.getByRole("link", { name: t("nav.contacts"), exact: true }).click();
    await page.setViewportSize({ width: 1280, height: 800 });
    for (const name of ["lists", "tags", "trash"] as const) {
      await goTo(page, t(`nav.${name}`));
      await page.getByRole("heading", { name: t(`${name}.none`) }).waitFor();
      await look(page, `${name}-empty`);
    }
  });

  it("are added in a drawer that checks and formats the number", async () => {
    await goTo(page, t("nav.contacts"));
    await page.getByRole("button", { name: t("contacts.add") }).last().click();
    const drawer = page.getByRole("dialog");
    const phone = drawer.getByLabel(t("field.phone"));
    await phone.pressSequentially("0712");
    await drawer.getByRole("button", { name: t("action.save") }).click();
    await drawer.getByText(t("phone.tooShort")).waitFor();
    await phone.press("End");
    await phone.pressSequentially("345678");
    expect(await phone.inputValue()).toBe("0712 345678");
    await drawer.getByText("Safaricom, Kenya").waitFor();
    await drawer.getByLabel(t("field.firstName")).fill("Amina");
    expect(await phone.inputValue()).toBe("+254 712 345678");
    await drawer.getByLabel(t("nav.tags")).fill("members");
    await page.keyboard.press("Enter");
    await look(page, "contact-new");
    await drawer.getByRole("button", { name: t("action.save") }).click();
    await page.getByRole("row", { name: /Amina/ }).getByText("+254 712 345678").waitFor();

    await page.getByRole("button", { name: t("contacts.add") }).click();
    await phone.fill("+254712345678");
    await drawer.getByRole("button", { name: t("action.save") }).click();
    await drawer.getByRole("alert").getByText(t("error.contact_exists")).waitFor();
    await drawer.getByRole("button", { name: t("action.close") }).click();
  });

  it("stay quick when there are thousands, and search as one types", async () => {
    const contacts = Array.from({ length: 3000 }, (_, i) => ({
      firstName: firstNames[i % firstNames.length],
      lastName: `Example ${i}`,
      phone: `+2547${String(20_000_000 + i)}`,
      tags: i % 3 === 0 ? ["nairobi"] : ["mombasa", "members"],
    }));
    await call(server, "/api/v1/contacts/bulk", { contacts }, token);
    await page.reload();
    await page.getByText(t.count("contacts.total", 3001)).waitFor();
    const rows = () => page.getByRole("row").count();
    expect(await rows()).toBeLessThan(80);
    await look(page, "contacts", { fullPage: false });
    await page.evaluate("scrollTo(0, document.documentElement.scrollHeight)");
    await page.getByRole("button", { name: "Amina" }).waitFor(); // the oldest
    expect(await rows()).toBeLessThan(80);

    await page.evaluate("scrollTo(0, 0)");
    await page.getByLabel(t("contacts.search")).pressSequentially("otieno example 29");
    await page.getByText(t.count("contacts.total", 13)).waitFor();
    expect(new URL(page.url()).searchParams.get("q")).toBe("otieno example 29");
    await page.goBack().catch(() => null);
    await page.goForward().catch(() => null);
    await page.reload();
    await page.getByText(t.count("contacts.total", 13)).waitFor();
    await page.getByRole("button", { name: t("contacts.clearFilters") }).click();
    await page.getByText(t.count("contacts.total", 3001)).waitFor();
    await page.getByLabel(t("contacts.search")).fill("nobody at all");
    await page.getByRole("heading", { name: t("contacts.noneFound") }).waitFor();
    await look(page, "contacts-none-found");
    await page.getByRole("button", { name: t("contacts.clearFilters") }).last().click();
  });

  it("are put into a list together, with an undo", async () => {
    await goTo(page, t("nav.lists"));
    await page.getByRole("button", { name: t("lists.add") }).click();
    await page.getByLabel(t("lists.name")).fill("Coast");
    await page.getByRole("button", { name: t("action.save") }).click();
    await page.getByRole("link", { name: "Coast" }).waitFor();
    await look(page, "lists");

    await goTo(page, t("nav.contacts"));
    await page.getByRole("combobox", { name: t("contacts.filterTags") }).click();
    await page.getByRole("option", { name: "mombasa" }).click();
    await page.keyboard.press("Escape");
    await page.getByText(t.count("contacts.total", 2000)).waitFor();
    await page.getByLabel(t("contacts.selectLoaded")).check();
    await page.getByRole("button", { name: t.count("contacts.selectMatching", 2000) }).click();
    await page.getByText(t.count("contacts.selected", 2000)).waitFor();
    await look(page, "contacts-selected", { fullPage: false });
    await page.getByRole("button", { name: t("contacts.addToList") }).click();
    await page.getByRole("menuitem", { name: "Coast" }).click();
    await page.getByText(t.count("contacts.addedToList", 2000, { name: "Coast" })).waitFor();
    await page.goto(`${server.url}/lists`);
    await page.getByText(t.count("contacts.total", 2000)).waitFor();
    await page.getByRole("link", { name: "Coast" }).click();
    await page.getByText(t.count("contacts.total", 2000)).waitFor();
  });

  it("go to the trash, come back by undo, and are restored and purged there", async () => {
    await page.goto(`${server.url}/contacts?q=example%2012`);
    await page.getByRole("row", { name: /Example 12 / }).first().waitFor();
    const before = await page.getByRole("row").count();
    const box = page.getByRole("checkbox", { name: t("contacts.select", { name: "+254720000012" }) });
    const place = await box.boundingBox();
    await box.check();
    await page.getByRole("button", { name: t("contacts.toTrash") }).waitFor();
    expect(await box.boundingBox()).toEqual(place); // nothing moves under the hand
    await page.getByRole("button", { name: t("contacts.toTrash") }).click();
    await page.getByText(t.count("contacts.trashed", 1)).waitFor();
    await page.getByRole("button", { name: t("action.undo") }).click();
    await page.getByRole("checkbox", { name: t("contacts.select", { name: "+254720000012" }) }).waitFor();
    expect(await page.getByRole("row").count()).toBe(before);

    await page.goto(`${server.url}/contacts?q=example%201000`);
    await page.getByRole("button", { name: /Example 1000/ }).click();
    await page.getByRole("dialog").getByLabel(t("contacts.optOutLabel")).waitFor();
    await look(page, "contact-edit");
    await page.getByRole("dialog").getByRole("button", { name: t("contacts.toTrash") }).click();
    await page.getByText(t.count("contacts.trashed", 1)).waitFor();
    await page.goto(`${server.url}/contacts?q=example%201001`);
    await page.getByLabel(t("contacts.selectLoaded")).check();
    await page.getByRole("button", { name: t("contacts.toTrash") }).click();
    await page.getByText(t.count("contacts.trashed", 1)).waitFor();

    await goTo(page, t("nav.trash"));
    await page.getByText(t.count("trash.daysLeft", 90)).first().waitFor();
    await look(page, "trash");
    await page.getByRole("checkbox", { name: t("contacts.select", { name: "+254720001000" }) }).check();
    await page.getByRole("button", { name: t("trash.restore") }).click();
    await page.getByText(t.count("trash.restored", 1)).waitFor();
    await page.getByRole("checkbox", { name: t("trash.selectAll") }).check();
    await page.getByRole("button", { name: t("trash.purge") }).click();
    await look(page, "trash-purge");
    await page.getByRole("dialog").getByRole("button", { name: t("trash.purge") }).click();
    await page.getByRole("heading", { name: t("trash.none") }).waitFor();
    await page.goto(`${server.url}/contacts`);
    await page.getByText(t.count("contacts.total", 3000)).waitFor();
  });

  it("can be shown by chosen columns, which the browser remembers", async () => {
    await page.getByRole("button", { name: t("contacts.columns") }).click();
    await page.getByRole("checkbox", { name: t("field.email") }).check();
    await page.keyboard.press("Escape");
    await page.getByRole("columnheader", { name: t("field.email") }).waitFor();
    await page.reload();
    await page.getByRole("columnheader", { name: t("field.email") }).waitFor();
  });

  it("show in tags and in the figures of the dashboard", async () => {
    await goTo(page, t("nav.tags"));
    await page.getByRole("link", { name: "nairobi" }).waitFor();
    await look(page, "tags");
    await page.getByRole("link", { name: "nairobi" }).click();
    await page.getByText(t.count("contacts.total", 1000)).waitFor();
    await goTo(page, t("nav.dashboard"));
    await page.getByRole("heading", { name: t("dashboard.byOperator") }).waitFor();
    await look(page, "dashboard");
    own.check();
  });
});

import { Buffer } from "node:buffer";
import { deflateSync } from "node:zlib";

import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { call, goTo, person, register, signIn, t, visit, type Visit } from "./customers";
import { launch, look, startServer, until, type Server } from "./harness";

const zuri = person("Zuri");
const juma = { ...person("Juma"), accountName: zuri.accountName };
const neema = person("Neema");

let server: Server;
let browser: Browser;
let own: Visit;
let page: Page;

beforeAll(async () => {
  [server, browser] = await Promise.all([startServer(), launch()]);
  await register(server, zuri);
  await register(server, neema);
  own = await visit(browser, server);
  page = own.page;
  await signIn(page, server, zuri);
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

describe("an organization and its team", () => {
  it("invites a new member, who signs in and sees no more than a member may", async () => {
    await goTo(page, t("nav.team"));
    await page.getByText(t("team.alone")).waitFor();
    await look(page, "team-alone");
    await page.getByRole("button", { name: t("team.invite") }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel(t("field.firstName")).fill(juma.firstName);
    await dialog.getByLabel(t("field.lastName")).fill(juma.lastName);
    await dialog.getByLabel(t("field.email")).fill(neema.email);
    await dialog.getByLabel(t("team.firstPassword")).fill(juma.password);
    await look(page, "team-invite");
    await dialog.getByRole("button", { name: t("team.addMember") }).click();
    await dialog.getByText(t("error.email_registered")).waitFor();
    await dialog.getByRole("button", { name: t("team.useMail") }).waitFor();
    await dialog.getByLabel(t("field.email")).fill(juma.email);
    await dialog.getByRole("button", { name: t("team.addMember") }).click();
    await page.getByRole("row", { name: /Juma Example/ }).waitFor();

    const member = await visit(browser, server);
    await signIn(member.page, server, juma);
    await goTo(member.page, t("nav.organization"));
    await member.page.getByText(t("organization.readOnly")).waitFor();
    await look(member.page, "organization-member");
    expect(await member.page.getByRole("link", { name: t("nav.audit") }).count()).toBe(0);
    await goTo(member.page, t("nav.team"));
    await member.page.getByRole("row", { name: /Zuri Example/ }).waitFor();
    expect(await member.page.getByRole("button", { name: t("team.invite") }).count()).toBe(0);

    await page.getByRole("button", { name: t("action.moreFor", { name: "Juma Example" }) }).click();
    await look(page, "team-menu");
    await page.getByRole("menuitem", { name: t("team.makeRole", { role: t("role.admin") }) }).click();
    await page.getByText(t("team.roleChanged", { name: "Juma Example", role: t("role.admin") })).waitFor();
    await member.page.reload();
    await member.page.getByRole("button", { name: t("team.invite") }).waitFor();

    await page.getByRole("button", { name: t("action.moreFor", { name: "Juma Example" }) }).click();
    await page.getByRole("menuitem", { name: t("team.deactivate") }).click();
    await page.getByRole("dialog").getByRole("button", { name: t("team.deactivate") }).click();
    await page.getByText(t("team.inactive"), { exact: true }).waitFor();
    await look(page, "team");
    await member.page.reload();
    await member.page.getByRole("heading", { name: t("auth.signIn") }).waitFor();
    member.check();
    await member.context.close();
  });

  it("invites someone who has a user by mail, who then belongs to two organizations", async () => {
    await page.getByRole("button", { name: t("team.invite") }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText(t("team.byMail"), { exact: true }).click();
    await dialog.getByLabel(t("field.email")).fill(neema.email);
    await dialog.getByRole("button", { name: t("team.sendInvitation") }).click();
    await page.getByRole("heading", { name: t("team.pending") }).waitFor();
    await look(page, "team-pending");

    const guest = await visit(browser, server);
    await signIn(guest.page, server, neema);
    await guest.page.goto(await server.link(neema.email, "/invitation"));
    await look(guest.page, "invitation");
    await guest.page.getByRole("button", { name: t("auth.accept") }).click();
    await guest.page.getByRole("heading", { name: t("auth.accepted", { name: zuri.accountName }) }).waitFor();
    await look(guest.page, "invitation-accepted");
    await guest.page.getByRole("link", { name: t("auth.toConsole") }).click();

    // A switch reaches the other tab.
    const other = await guest.another();
    await other.goto(`${server.url}/organization`);
    await other.getByLabel(t("field.organization")).waitFor();
    await guest.page.getByRole("button", { name: t("organization.switcher", { name: neema.accountName }) }).click();
    await guest.page.getByRole("menuitem", { name: zuri.accountName }).waitFor();
    await look(guest.page, "switcher");
    await guest.page.getByRole("menuitem", { name: zuri.accountName }).click();
    await guest.page.getByText(t("organization.switched", { name: zuri.accountName })).waitFor();
    await other.getByRole("button", { name: t("organization.switcher", { name: zuri.accountName }) }).waitFor();
    await goTo(other, t("nav.team"));
    await other.getByRole("row", { name: /Zuri Example/ }).waitFor();
    // Both tabs go on after the switch, also by a fresh refresh of the token.
    await other.reload();
    await other.getByRole("row", { name: /Zuri Example/ }).waitFor();
    await guest.page.reload();
    await guest.page.getByRole("button", { name: t("organization.switcher", { name: zuri.accountName }) }).waitFor();
    guest.check();
    await guest.context.close();
  });

  it("changes its settings, and makes another organization", async () => {
    await goTo(page, t("nav.organization"));
    await page.getByRole("combobox", { name: t("organization.country") }).click();
    await page.getByRole("option", { name: "Uganda" }).click();
    await page.getByLabel(t("organization.city")).fill("Kampala");
    await page.getByRole("button", { name: t("action.save") }).click();
    await page.getByText(t("organization.saved")).waitFor();
    await look(page, "organization");
    await page.getByRole("button", { name: t("organization.switcher", { name: zuri.accountName }) }).click();
    await page.getByRole("menuitem", { name: t("organization.create") }).click();
    await page.getByRole("dialog").getByLabel(t("field.organization")).fill(zuri.accountName);
    await page.getByRole("dialog").getByRole("button", { name: t("action.create") }).click();
    await page.getByRole("dialog").getByRole("alert").waitFor();
    await look(page, "organization-create");
    await page.getByRole("dialog").getByLabel(t("field.organization")).fill("Second House");
    await page.getByRole("dialog").getByRole("button", { name: t("action.create") }).click();
    await page.getByRole("button", { name: t("organization.switcher", { name: "Second House" }) }).waitFor();
  });

  it("lets people change their profile, photo and password", async () => {
    await page.goto(`${server.url}/profile`);
    await page.getByLabel(t("profile.phone")).fill("+256772123456");
    await page.getByLabel(t("field.lastName")).fill("Changed");
    await page.getByRole("button", { name: t("action.save") }).click();
    await page.getByText(t("profile.saved")).waitFor();
    await page.locator("input[type=file]").setInputFiles({ name: "me.png", mimeType: "image/png", buffer: picture(600, 400) });
    await page.getByRole("dialog").getByRole("button", { name: t("profile.usePhoto") }).waitFor();
    await until("the picture is there to crop", () => page.getByRole("button", { name: t("profile.usePhoto") }).isEnabled());
    await look(page, "photo-crop");
    await page.getByRole("button", { name: t("profile.usePhoto") }).click();
    await page.getByText(t("profile.photoSaved")).waitFor();
    await until("the photo shows", async () => (await page.getByAltText(t("profile.photoOf", { name: "Zuri Changed" })).count()) > 0);
    await page.getByLabel(t("field.currentPassword")).fill("not this one");
    await page.getByLabel(t("field.newPassword")).fill("a newer password");
    await page.getByRole("button", { name: t("password.change") }).click();
    await page.getByText(t("error.wrong_password")).waitFor();
    await look(page, "profile");
    await page.getByLabel(t("field.currentPassword")).fill(zuri.password);
    await page.getByRole("button", { name: t("password.change") }).click();
    await page.getByText(t("password.changed")).waitFor();
    zuri.password = "a newer password";
  });

  it("keeps an audit trail", async () => {
    await page.goto(`${server.url}/audit`);
    await page.getByText(t("audit.account.created")).waitFor();
    await look(page, "audit");
  });

  it("tells its members when it is suspended, and lets them move on", async () => {
    const staff = await call<{ accessToken: string }>(server, "/api/v1/admin/auth/login", { email: "owner@example.com", password: "a long password" });
    const headers = { Authorization: `Bearer ${staff.accessToken}`, "Content-Type": "application/json" };
    const found = (await (await fetch(`${server.url}/api/v1/admin/accounts?search=Second`, { headers })).json()) as { accounts: { id: string }[] };
    await fetch(`${server.url}/api/v1/admin/accounts/${found.accounts[0]?.id}/status`, { method: "PATCH", headers, body: JSON.stringify({ status: "suspended" }) });
    await until("the suspension bites", async () => {
      await page.goto(`${server.url}/contacts`);
      return page
        .getByRole("heading", { name: t("organization.suspendedTitle") })
        .waitFor({ timeout: 2500 })
        .then(() => true, () => false);
    });
    await look(page, "suspended");
    await page.getByRole("button", { name: t("organization.switcher", { name: "Second House" }) }).click();
    await page.getByRole("menuitem", { name: zuri.accountName }).click();
    await page.getByRole("heading", { name: t("dashboard.empty") }).waitFor();
    own.check();
  });
});

/** picture makes a PNG of one colour. */
function picture(width: number, height: number): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(data.length);
    const sum = Buffer.alloc(4);
    sum.writeUInt32BE(crc(body));
    return Buffer.concat([length, body, sum]);
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 2, 0, 0, 0], 8);
  const row = Buffer.concat([Buffer.from([0]), Buffer.from(Array.from({ length: width * 3 }, (_, i) => [18, 133, 119][i % 3] ?? 0))]);
  const rows = deflateSync(Buffer.concat(Array.from({ length: height }, () => row)));
  return Buffer.concat([Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]), chunk("IHDR", head), chunk("IDAT", rows), chunk("IEND", Buffer.alloc(0))]);
}

function crc(data: Buffer): number {
  let c = 0xffffffff;
  for (const byte of data) {
    c ^= byte;
    for (let k = 0; k < 8; k++) c = c & 1 ? (c >>> 1) ^ 0xedb88320 : c >>> 1;
  }
  return (c ^ 0xffffffff) >>> 0;
}

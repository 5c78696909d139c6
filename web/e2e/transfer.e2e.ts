import { Buffer } from "node:buffer";
import { readFileSync } from "node:fs";

import type { Browser, Download, Page } from "playwright-core";
import readExcel from "read-excel-file/node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import writeExcel from "write-excel-file/node";

import { goTo, person, register, signIn, t, visit, type Visit } from "./customers";
import { launch, look, startServer, until, type Server } from "./harness";

const asha = person("Asha");

/** A file as an office has it: headers in other words, semicolons, national numbers, mistakes. */
const office = [
  "Prénom;Nom;Téléphone;Ville;Groupe",
  "Amina;Example;0712 345 678;Nairobi;members",
  "Ọlá;Example;+234 803 123 4567;Lagos;members",
  "Baraka;Example;0712-345-678;Nairobi;twice",
  "Zawadi;Example;12345;Kisumu;short",
  "Juma;Example;2,54713E+11;Mombasa;rounded",
  "Neema;Example;255754123456;Arusha;",
  ...Array.from({ length: 1500 }, (_, i) => `Row;Example ${i};07${20_000_000 + i};Town;many`),
].join("\r\n");

let server: Server;
let browser: Browser;
let own: Visit;
let page: Page;

beforeAll(async () => {
  [server, browser] = await Promise.all([startServer(), launch()]);
  await register(server, asha);
  own = await visit(browser, server);
  page = own.page;
  await signIn(page, server, asha);
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

const figure = (name: string) => page.locator("dl > div").filter({ hasText: name }).locator("dd");

describe("import and export", () => {
  it("leads from an office's file to contacts in a list", async () => {
    await page.getByRole("main").getByRole("link", { name: t("nav.import") }).click();
    await page.getByRole("heading", { name: t("import.drop") }).waitFor();
    await look(page, "import-file");
    await choose("members.csv", "text/csv", Buffer.from(office));
    await page.getByRole("heading", { name: t("import.match") }).waitFor();
    expect(await page.getByRole("combobox", { name: t("import.columnIs", { column: "Téléphone" }) }).inputValue()).toBe(t("import.field.phone"));
    expect(await page.getByRole("combobox", { name: t("import.columnIs", { column: "Ville" }) }).inputValue()).toBe("");
    await until("the rows are counted", async () => (await figure(t("import.ready")).textContent()) === "1,503");
    expect(await figure(t("import.duplicates")).textContent()).toBe("1");
    expect(await figure(t("import.impossible")).textContent()).toBe("2");
    expect(await figure(t("import.national")).textContent()).toBe("1,501");
    await page.getByText(t("import.why.rounded")).waitFor();
    await page.getByRole("combobox", { name: t("import.list") }).click();
    await page.getByRole("option", { name: t("import.newList") }).click();
    await page.getByLabel(t("lists.name")).fill("Members");
    await look(page, "import-columns");
    await page.getByRole("button", { name: t.count("import.send", 1503) }).click();
    await page.getByRole("heading", { name: t.count("import.done", 1503) }).waitFor();
    expect(await figure(t("import.skipped")).textContent()).toBe("3");
    await look(page, "import-result");

    const rejects = await downloaded(() => page.getByRole("button", { name: t("import.rejects") }).click());
    expect(rejects.text.split("\n").filter(Boolean)).toHaveLength(4);
    await page.getByRole("link", { name: t("import.toContacts") }).click();
    await page.getByText(t.count("contacts.total", 1503)).waitFor();
    await page.goto(`${server.url}/contacts?q=amina`);
    await page.getByText("+254 712 345678").waitFor();
    await page.goto(`${server.url}/lists`);
    await page.getByText(t.count("contacts.total", 1503)).waitFor();
  });

  it("keeps what was chosen when sending fails, and sends again", async () => {
    await page.goto(`${server.url}/import`);
    await choose("again.csv", "text/csv", Buffer.from("who,number\r\nImani,0722000001\r\n"));
    await page.getByRole("combobox", { name: t("import.columnIs", { column: "who" }) }).click();
    await page.getByRole("option", { name: t("import.field.notes") }).click();
    await page.getByRole("combobox", { name: t("import.list") }).click();
    await page.getByRole("option", { name: t("import.newList") }).click();
    await page.getByLabel(t("lists.name")).fill("Second try");
    await page.route("**/api/v1/contacts/import", (route) => route.abort());
    await page.getByRole("button", { name: t.count("import.send", 1) }).click();
    await page.getByRole("alert").getByText(t("error.offline")).waitFor();
    await page.unroute("**/api/v1/contacts/import");
    await page.getByRole("button", { name: t.count("import.send", 1) }).click();
    await page.getByRole("heading", { name: t.count("import.done", 1) }).waitFor();
    await page.goto(`${server.url}/contacts?q=722000001`);
    await page.getByRole("row").getByText("Second try").waitFor();
    await page.getByRole("button", { name: t("contacts.unnamed") }).click(); // the first column became the notes
    await page.getByRole("dialog").getByLabel(t("field.notes")).and(page.locator("textarea")).waitFor();
    expect(await page.getByRole("dialog").getByLabel(t("field.notes")).inputValue()).toBe("Imani");
    await page.getByRole("dialog").getByRole("button", { name: t("contacts.toTrash") }).click();
    await page.getByText(t.count("contacts.trashed", 1)).waitFor();
  });

  it("passes over what is there already, and says so", async () => {
    await page.goto(`${server.url}/import`);
    await choose("members.csv", "text/csv", Buffer.from(office));
    await page.getByRole("button", { name: t.count("import.send", 1503) }).click();
    await page.getByRole("heading", { name: t.count("import.done", 0) }).waitFor();
    expect(await figure(t("import.skipped")).textContent()).toBe("1,506");
  });

  it("reads a workbook whose phones are numbers, and undoes the import", async () => {
    const sheet = await writeExcel([
      [{ value: "Name" }, { value: "Mobile" }],
      [{ value: "Halima" }, { value: 254733123456, type: Number }],
      [{ value: "Mutua" }, { value: 733123457, type: Number }],
    ]).toBuffer();
    await page.getByRole("button", { name: t("import.another") }).click();
    await choose("book.xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", sheet);
    await page.getByRole("button", { name: t.count("import.send", 2) }).click();
    await page.getByRole("heading", { name: t.count("import.done", 2) }).waitFor();
    await page.getByRole("button", { name: t("import.undo") }).click();
    await page.getByText(t.count("contacts.trashed", 2)).waitFor();
    await goTo(page, t("nav.imports"));
    await page.getByText(t("imports.undone")).waitFor();
    await look(page, "imports");
  });

  it("says what is wrong with a file that can't be imported", async () => {
    await page.goto(`${server.url}/import`);
    await choose("photo.xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", Buffer.from("PK\u0003\u0004 this is no workbook"));
    await page.getByRole("alert").getByText(t("error.file_corrupt")).waitFor();
    await choose("nothing.csv", "text/csv", Buffer.from("colour,size\r\nred,large\r\n"));
    await page.getByRole("alert").getByText(t("import.needPhone")).waitFor();
    await look(page, "import-no-phone");
  });

  it("exports as CSV, workbook and PDF", async () => {
    await goTo(page, t("nav.export"));
    await page.getByRole("heading", { name: t("export.title") }).waitFor();
    await look(page, "export");
    const csv = await downloaded(() => page.getByRole("button", { name: t("export.download") }).click());
    expect(csv.text.split("\n")[0]?.trim()).toBe("first_name,last_name,phone,email,tags,notes");
    expect(csv.text.trimEnd().split("\n")).toHaveLength(1504);

    await page.getByLabel(t("export.xlsx")).check();
    const book = await downloaded(() => page.getByRole("button", { name: t("export.download") }).click());
    const rows = (await readExcel(book.bytes))[0]?.data ?? [];
    expect(rows).toHaveLength(1504);
    expect(rows.some((row) => row[0] === "Ọlá" && row[2] === "+2348031234567")).toBe(true);

    await page.getByLabel(t("export.pdf")).check();
    const pdf = await downloaded(() => page.getByRole("button", { name: t("export.download") }).click());
    expect(pdf.bytes.subarray(0, 5).toString()).toBe("%PDF-");
  });

  it("mails an export", async () => {
    await page.getByLabel(t("field.email")).fill("partner@example.com");
    for (const format of ["csv", "xlsx", "pdf"] as const) {
      await page.getByLabel(t(`export.${format}`), { exact: true }).check();
      await page.getByRole("button", { name: t("export.send") }).click();
      await page.getByText(t("export.mailed", { email: "partner@example.com" })).last().waitFor();
      await until(`the ${format} has arrived`, async () => (await server.mails("partner@example.com")).length === ["csv", "xlsx", "pdf"].indexOf(format) + 1);
    }
    own.check();
  });
});

async function choose(name: string, mimeType: string, buffer: Buffer): Promise<void> {
  await page.locator("input[type=file]").setInputFiles({ name, mimeType, buffer });
}

async function downloaded(act: () => Promise<void>): Promise<{ bytes: Buffer; text: string }> {
  const [download] = (await Promise.all([page.waitForEvent("download"), act()])) as [Download, void];
  const bytes = readFileSync(await download.path());
  return { bytes, text: bytes.toString("utf8") };
}

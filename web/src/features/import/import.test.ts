import { describe, expect, it } from "vitest";

import { guessMapping, serverReads } from "./columns";
import { readNumber } from "./numbers";
import { forecast, rewrite } from "./prepare";
import { decode, readTable, readText } from "./table";

describe("guessMapping", () => {
  it("knows headers in other words, cases and languages", () => {
    expect(guessMapping(["PRÉNOM", "Nom de famille", "Numéro de téléphone", "E-mail", "Groupe", "Ville"], [])).toEqual(["first_name", "last_name", "phone", "email", "tags", null]);
    expect(guessMapping(["Jina la kwanza", "Namba ya simu"], [])).toEqual(["first_name", "phone"]);
  });

  it("gives a field to one column only", () => {
    expect(guessMapping(["Phone", "Mobile"], [])).toEqual(["phone", null]);
  });

  it("finds phone numbers by their look where no header names them", () => {
    const sample = [["Amina", "0712 345 678"], ["Juma", "+254712345679"]];
    expect(guessMapping(["who", "where to"], sample)).toEqual([null, "phone"]);
  });
});

describe("serverReads", () => {
  it("tells whether a file can go as it is", () => {
    expect(serverReads(["Phone", "First Name", "colour"], ["phone", "first_name", null])).toBe(true);
    expect(serverReads(["Mobile"], ["phone"])).toBe(false);
    expect(serverReads(["phone", "notes"], ["phone", null])).toBe(false); // left out by choice
  });
});

describe("readNumber", () => {
  it.each([
    ["0712 345 678", "KE", { kind: "national", digits: "254712345678" }],
    ["712345678", "KE", { kind: "national", digits: "254712345678" }],
    ["254712345678", "KE", { kind: "international", digits: "254712345678" }],
    ["+254712345678", "UG", { kind: "international", digits: "254712345678" }],
    ["00254712345678", "UG", { kind: "international", digits: "254712345678" }],
    ["256772123456", "KE", { kind: "international", digits: "256772123456" }],
    ["254712345678", null, { kind: "international", digits: "254712345678" }],
    ["0712345678", null, { kind: "impossible", why: "length" }],
    ["12345", "KE", { kind: "impossible", why: "length" }],
    ["2.54713E+11", "KE", { kind: "impossible", why: "rounded" }],
    ["2,54713E+11", "KE", { kind: "impossible", why: "rounded" }],
    ["  ", "KE", { kind: "impossible", why: "empty" }],
  ])("reads %j in %s", (cell, country, reading) => {
    expect(readNumber(cell, country)).toEqual(reading);
  });
});

describe("reading a file", () => {
  it("finds out the delimiter and keeps line breaks in quotes", () => {
    const table = readText('phone;notes\r\n"0712345678";"one\ntwo"\r\n\r\n0712345679;x');
    const rows: string[][] = [];
    table.each((row) => rows.push(row));
    expect(table.headers).toEqual(["phone", "notes"]);
    expect(rows).toEqual([
      ["0712345678", "one\ntwo"],
      ["0712345679", "x"],
    ]);
  });

  it.each([
    ["UTF-8", new TextEncoder().encode("Zoë")],
    ["UTF-8 with a mark", new Uint8Array([0xef, 0xbb, 0xbf, ...new TextEncoder().encode("Zoë")])],
    ["Windows-1252", new Uint8Array([0x5a, 0x6f, 0xeb])],
    ["UTF-16, little end first", new Uint8Array([0xff, 0xfe, 0x5a, 0, 0x6f, 0, 0xeb, 0])],
    ["UTF-16, big end first", new Uint8Array([0xfe, 0xff, 0, 0x5a, 0, 0x6f, 0, 0xeb])],
  ])("decodes %s", (_, bytes) => {
    expect(decode(bytes.buffer as ArrayBuffer)).toBe("Zoë");
  });

  it("refuses what is empty", async () => {
    await expect(readTable(new Blob([]))).rejects.toMatchObject({ code: "file_empty" });
  });
});

describe("forecast and rewrite", () => {
  const table = readText("Name,Mobile,Colour\nAmina,0712345678,red\nJuma,+254712345678,blue\nZuri,12,green\nNeema,+4915112345678,grey");
  const plan = { mapping: guessMapping(table.headers, table.sample), country: "KE" };

  it("counts what will happen to each row", () => {
    expect(forecast(table, plan)).toEqual({
      rows: 4,
      ready: 2,
      national: 1,
      unknownNetwork: 1,
      duplicates: 1,
      impossible: 1,
      asIs: false,
      refused: [
        { row: 2, phone: "+254712345678", why: "duplicate" },
        { row: 3, phone: "12", why: "length" },
      ],
    });
  });

  it("sends the header names of the server and international numbers, every row in its place", async () => {
    expect(await rewrite(table, plan).text()).toBe("first_name,phone\r\nAmina,+254712345678\r\nJuma,+254712345678\r\nZuri,12\r\nNeema,+4915112345678\r\n");
  });

  it("leaves a file alone that the server reads by itself", () => {
    const plain = readText("phone,first_name\n+254712345678,Amina");
    expect(forecast(plain, { mapping: guessMapping(plain.headers, plain.sample), country: "KE" }).asIs).toBe(true);
  });
});

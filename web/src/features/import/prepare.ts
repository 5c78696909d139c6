import Papa from "papaparse";

import { networkOf } from "../phone/registry";
import { fields, serverReads, type Field, type Mapping } from "./columns";
import { readNumber } from "./numbers";
import type { Table } from "./table";

/** How a file is to be read. */
export interface Plan {
  mapping: Mapping;
  /** Country of the numbers without a calling code; null leaves them as they are. */
  country: string | null;
}

/** A row that will be passed over. */
export interface Refused {
  /** Counted from the first row below the header, which is 1. */
  row: number;
  phone: string;
  why: "empty" | "rounded" | "length" | "duplicate";
}

/** What sending the file would do, as far as the file alone tells. */
export interface Forecast {
  rows: number;
  ready: number;
  /** Of those ready: turned from national to international. */
  national: number;
  /** Of those ready: on no network that the registry knows. */
  unknownNetwork: number;
  duplicates: number;
  impossible: number;
  /** The first of the rows that will be passed over. */
  refused: Refused[];
  /** Whether the file can be sent as it is. */
  asIs: boolean;
}

const MAX_REFUSED = 50;

/** forecast counts what will happen to each row. */
export function forecast(table: Table, plan: Plan): Forecast {
  const column = plan.mapping.indexOf("phone");
  const found: Forecast = { rows: 0, ready: 0, national: 0, unknownNetwork: 0, duplicates: 0, impossible: 0, refused: [], asIs: serverReads(table.headers, plan.mapping) };
  const seen = new Set<string>();
  const refuse = (phone: string, why: Refused["why"]) => {
    if (found.refused.length < MAX_REFUSED) found.refused.push({ row: found.rows, phone, why });
  };
  table.each((cells) => {
    found.rows++;
    const cell = cells[column] ?? "";
    const reading = readNumber(cell, plan.country);
    if (reading.kind === "impossible") {
      found.impossible++;
      refuse(cell, reading.why);
      return;
    }
    if (seen.has(reading.digits)) {
      found.duplicates++;
      refuse(cell, "duplicate");
      return;
    }
    seen.add(reading.digits);
    found.ready++;
    if (reading.kind === "national") {
      found.national++;
      found.asIs = false;
    }
    if (!networkOf(reading.digits)) found.unknownNetwork++;
  });
  return found;
}

/**
 * rewrite makes the CSV that is sent: the header names that the server reads, and
 * international numbers. Every row stays, also those that will be passed over, so
 * that the server's account of them holds for the file of the person.
 */
export function rewrite(table: Table, plan: Plan): Blob {
  const columns = plan.mapping.flatMap((field, index) => (field === null ? [] : [{ field, index }])).sort((a, b) => fields.indexOf(a.field) - fields.indexOf(b.field));
  const parts: string[] = [];
  let batch: string[][] = [columns.map(({ field }) => field as Field)];
  const flush = () => {
    parts.push(`${Papa.unparse(batch, { newline: "\r\n" })}\r\n`);
    batch = [];
  };
  table.each((cells) => {
    batch.push(columns.map(({ field, index }) => (field === "phone" ? international(cells[index] ?? "", plan.country) : (cells[index] ?? ""))));
    if (batch.length >= 10_000) flush();
  });
  if (batch.length > 0) flush();
  return new Blob(parts, { type: "text/csv" });
}

function international(cell: string, country: string | null): string {
  const reading = readNumber(cell, country);
  return reading.kind === "impossible" ? cell : `+${reading.digits}`;
}

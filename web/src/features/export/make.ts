import { Problem } from "../../api/problem";
import { unwrap } from "../../api/client";
import { api } from "../../customer/api";
import type { Contact } from "../contacts/queries";
import { fileNameOf } from "./save";

export const formats = ["csv", "xlsx", "pdf"] as const;
export type Format = (typeof formats)[number];

/** A file made of contacts. */
export interface Made {
  file: Blob;
  name: string;
  /** Contacts in it; unknown for a CSV, which the server makes. */
  count: number | undefined;
}

/** What a file is made of. */
export interface Source {
  listId: string | undefined;
  /** Words for the head of a file that people read. */
  title: string;
  headers: string[];
  /** Contacts in a PDF at most. */
  maxPdf: number;
}

/** make writes a file in a format. The parts that write workbooks and PDFs load when they are needed. */
export async function make(format: Format, source: Source): Promise<Made> {
  if (format === "csv") return makeCsv(source.listId);
  const contacts = await unwrap(api.GET("/api/v1/contacts/export-data", { params: { query: { listId: source.listId } } }));
  const name = `contacts-${new Date().toISOString().slice(0, 10)}.${format}`;
  const rows = contacts.map(cells);
  if (format === "xlsx") {
    const { workbook } = await import("./workbook");
    return { file: await workbook(source.headers, rows), name, count: rows.length };
  }
  if (rows.length > source.maxPdf) throw new Problem({ status: 413, code: "pdf_too_long", detail: "" });
  const { pdf } = await import("./pdf");
  return { file: await pdf(source.title, source.headers, rows), name, count: rows.length };
}

async function makeCsv(listId: string | undefined): Promise<Made> {
  const { data, error, response } = await api.GET("/api/v1/contacts/export", { params: { query: { listId } }, parseAs: "blob" });
  if (!response.ok) throw Problem.from(response.status, error);
  return { file: data as unknown as Blob, name: fileNameOf(response, "contacts.csv"), count: undefined };
}

/** cells are the columns of every export, in the order of the CSV. */
export function cells(contact: Contact): string[] {
  return [contact.firstName ?? "", contact.lastName ?? "", contact.phone, contact.email ?? "", contact.tags.join(";"), contact.notes ?? ""];
}

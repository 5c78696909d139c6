import writeXlsxFile, { type SheetData } from "write-excel-file/browser";

/** workbook writes a table as XLSX. Every cell is text, so no phone is rounded and nothing runs as a formula. */
export async function workbook(headers: string[], rows: string[][]): Promise<Blob> {
  const data: SheetData = [
    headers.map((value) => ({ value, type: String, fontWeight: "bold" as const })),
    ...rows.map((row) => row.map((value) => (value === "" ? null : { value, type: String }))),
  ];
  return writeXlsxFile(data, { columns: [{ width: 18 }, { width: 18 }, { width: 18 }, { width: 28 }, { width: 24 }, { width: 40 }], stickyRowsCount: 1 }).toBlob();
}

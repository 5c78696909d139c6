import Papa from "papaparse";

/** A file as rows of cells, the header first. */
export interface Table {
  headers: string[];
  /** The first rows below the header. */
  sample: string[][];
  /** each calls back with every row below the header, in order. */
  each(row: (cells: string[]) => void): void;
  /** Whether the file is a workbook, whose cells are typed. */
  workbook: boolean;
}

/** FileProblem is a file that can't be read; code is the server's word for the same. */
export class FileProblem extends Error {
  constructor(readonly code: "file_empty" | "file_corrupt" | "unsupported_file") {
    super(code);
  }
}

const SAMPLE = 5;

/** readTable reads CSV text or the first sheet of a workbook, told apart by content. */
export async function readTable(file: Blob): Promise<Table> {
  const head = new Uint8Array(await file.slice(0, 8).arrayBuffer());
  if (head.length === 0) throw new FileProblem("file_empty");
  if (head[0] === 0x50 && head[1] === 0x4b) return readWorkbook(file);
  if (head[0] === 0xd0 && head[1] === 0xcf) throw new FileProblem("unsupported_file");
  return readText(decode(await file.arrayBuffer()));
}

/** decode turns bytes into text: by the byte order mark, else UTF-8, else what old Windows programs write. */
export function decode(bytes: ArrayBuffer): string {
  const [a, b] = new Uint8Array(bytes.slice(0, 2));
  if (a === 0xff && b === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (a === 0xfe && b === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

/** readText reads CSV whose delimiter is found out from its first rows. */
export function readText(text: string): Table {
  const preview = Papa.parse<string[]>(text, { preview: SAMPLE + 1, skipEmptyLines: "greedy", delimitersToGuess: [",", ";", "\t", "|"] });
  const [headers, ...sample] = preview.data;
  if (!headers) throw new FileProblem("file_empty");
  const delimiter = preview.meta.delimiter;
  return {
    headers: headers.map((header) => header.trim()),
    sample,
    workbook: false,
    each: (row) => {
      let first = true;
      Papa.parse<string[]>(text, {
        delimiter,
        skipEmptyLines: "greedy",
        step: ({ data }) => {
          if (!first) row(data);
          first = false;
        },
      });
    },
  };
}

async function readWorkbook(file: Blob): Promise<Table> {
  const { readSheet } = await import("read-excel-file/web-worker");
  const rows = await readSheet(file as File).catch(() => {
    throw new FileProblem("file_corrupt");
  });
  const filled = rows.map((row) => row.map(cellText)).filter((row) => row.some((cell) => cell !== ""));
  const [headers, ...rest] = filled;
  if (!headers) throw new FileProblem("file_empty");
  return {
    headers: headers.map((header) => header.trim()),
    sample: rest.slice(0, SAMPLE),
    workbook: true,
    each: (row) => rest.forEach(row),
  };
}

/** cellText writes a cell as a person would read it; a phone kept as a number has no exponent. */
function cellText(cell: unknown): string {
  if (cell === null || cell === undefined) return "";
  if (cell instanceof Date) return cell.toISOString().slice(0, 10);
  if (typeof cell === "number") return Number.isInteger(cell) ? cell.toFixed(0) : String(cell);
  return String(cell as string | boolean);
}

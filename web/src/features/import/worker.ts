import { forecast, rewrite, type Forecast, type Plan } from "./prepare";
import { FileProblem, readTable, type Table } from "./table";

/** What can be asked of the worker; it answers each in turn. */
export type Ask = { id: number } & ({ do: "open"; file: File } | { do: "forecast"; plan: Plan } | { do: "rewrite"; plan: Plan });

/** What a file looks like at first sight. */
export interface Opened {
  headers: string[];
  sample: string[][];
}

export type Answer = { id: number } & ({ ok: Opened | Forecast | Blob } | { problem: string });

// Files may have a million rows: reading them here leaves the page free to move.
let table: Table | null = null;

async function answer(ask: Ask): Promise<Opened | Forecast | Blob> {
  if (ask.do === "open") {
    table = await readTable(ask.file);
    return { headers: table.headers, sample: table.sample };
  }
  if (!table) throw new FileProblem("file_empty");
  return ask.do === "forecast" ? forecast(table, ask.plan) : rewrite(table, ask.plan);
}

addEventListener("message", (event: MessageEvent<Ask>) => {
  const { id } = event.data;
  answer(event.data).then(
    (ok) => postMessage({ id, ok } satisfies Answer),
    (error: unknown) => postMessage({ id, problem: error instanceof FileProblem ? error.code : "file_corrupt" } satisfies Answer),
  );
});

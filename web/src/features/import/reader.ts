import { Problem } from "../../api/problem";
import type { Forecast, Plan } from "./prepare";
import type { Answer, Ask, Opened } from "./worker";

type Question = { do: "open"; file: File } | { do: "forecast"; plan: Plan } | { do: "rewrite"; plan: Plan };

let opened = 0;

/** ImportReader is the file of an import: it holds one file in a worker and answers questions about it. */
export class ImportReader {
  private readonly worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
  private readonly waiting = new Map<number, { resolve: (value: never) => void; reject: (error: unknown) => void }>();
  private last = 0;
  /** Tells this file from any other of the page, also one of the same name. */
  readonly serial = ++opened;

  constructor() {
    this.worker.addEventListener("message", (event: MessageEvent<Answer>) => {
      const waiter = this.waiting.get(event.data.id);
      this.waiting.delete(event.data.id);
      if ("ok" in event.data) waiter?.resolve(event.data.ok as never);
      else waiter?.reject(new Problem({ status: 400, code: event.data.problem, detail: "" }));
    });
    this.worker.addEventListener("error", () => {
      for (const waiter of this.waiting.values()) waiter.reject(new Problem({ status: 400, code: "file_corrupt", detail: "" }));
      this.waiting.clear();
    });
  }

  open(file: File): Promise<Opened> {
    return this.ask({ do: "open", file });
  }

  forecast(plan: Plan): Promise<Forecast> {
    return this.ask({ do: "forecast", plan });
  }

  rewrite(plan: Plan): Promise<Blob> {
    return this.ask({ do: "rewrite", plan });
  }

  close(): void {
    this.worker.terminate();
  }

  private ask<T>(question: Question): Promise<T> {
    const id = ++this.last;
    return new Promise<T>((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.worker.postMessage({ id, ...question } satisfies Ask);
    });
  }
}

import { Problem } from "../../api/problem";
import type { components } from "../../api/schema";
import { session } from "../../customer/api";

export type Import = components["schemas"]["Import"];

/** What an import came to, and where its record is. */
export interface Outcome {
  imported: number;
  valid: number;
  invalid: number;
  skipped: number;
  /** Id of the record, "" if the server did not say. */
  id: string;
}

/** upload sends a file and reports how much has left; fetch can't tell that. */
export async function upload(file: Blob, name: string, listId: string | null, progress: (sent: number, total: number) => void): Promise<Outcome> {
  const token = await session.token();
  if (token === null) throw Problem.signedOut();
  return new Promise((resolve, reject) => {
    const form = new FormData();
    if (listId) form.set("listId", listId);
    form.set("file", file, name);
    const request = new XMLHttpRequest();
    request.open("POST", "/api/v1/contacts/import");
    request.setRequestHeader("Authorization", `Bearer ${token}`);
    request.responseType = "json";
    request.upload.onprogress = (event) => progress(event.loaded, event.total);
    request.upload.onload = () => progress(file.size, file.size);
    request.onerror = () => reject(Problem.offline());
    request.onload = () => {
      if (request.status !== 201) return reject(Problem.from(request.status, request.response));
      const location = request.getResponseHeader("Location") ?? "";
      resolve({ ...(request.response as Omit<Outcome, "id">), id: location.split("/").at(-1) ?? "" });
    };
    request.send(form);
  });
}

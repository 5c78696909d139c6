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

type Progress = (sent: number, total: number) => void;

/** upload sends a file, once more with a new token when the server says that the first has expired. */
export async function upload(file: Blob, name: string, listId: string | null, progress: Progress): Promise<Outcome> {
  const token = await session.token();
  if (token === null) throw Problem.signedOut();
  return post(token, file, name, listId, progress).catch(async (error: unknown) => {
    if (!(error instanceof Problem) || error.code !== "invalid_token") throw error;
    const fresh = await session.token(token);
    if (fresh === null) throw Problem.signedOut();
    return post(fresh, file, name, listId, progress);
  });
}

/** post reports how much has left, which fetch can't tell. */
function post(token: string, file: Blob, name: string, listId: string | null, progress: Progress): Promise<Outcome> {
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

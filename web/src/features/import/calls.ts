import { Problem } from "../../api/problem";
import { unwrap } from "../../api/client";
import { api } from "../../customer/api";
import { fileNameOf, save } from "../export/save";

/** The rows of an import that can be had back: those passed over, and those stored without one of their cells. */
export type Passed = "rejects" | "amended";

/** saveRows downloads such rows, each with its reason. */
export async function saveRows(id: string, which: Passed): Promise<void> {
  const { data, error, response } = await api.GET(`/api/v1/contacts/imports/{id}/${which}`, { params: { path: { id } }, parseAs: "blob" });
  if (!response.ok) throw Problem.from(response.status, error);
  save(data as unknown as Blob, fileNameOf(response, `${which}.csv`));
}

/** undoImport puts what an import brought in into the trash, and says how much that was. */
export async function undoImport(id: string): Promise<number> {
  const { deleted } = await unwrap(api.DELETE("/api/v1/contacts/imports/{id}/contacts", { params: { path: { id } } }));
  return deleted;
}

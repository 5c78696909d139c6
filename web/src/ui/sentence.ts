import { Problem } from "../api/problem";
import type { Translate } from "../i18n/translate";

/**
 * sentence says what went wrong in words a person can act on: our own words where
 * we know the code, else the server's.
 */
export function sentence(t: Translate, error: unknown): string {
  if (!(error instanceof Problem)) return t("error.unknown");
  const known = t.maybe(`error.${error.code}`);
  if (known) return known;
  if (error.message) return error.message;
  return error.status >= 500 ? t("error.internal") : t("error.unknown");
}

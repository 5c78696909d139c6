import type { UseFormReturnType } from "@mantine/form";

import { Problem } from "../api/problem";
import { useT } from "../i18n/I18n";

/**
 * placeErrors puts what the server says about single fields beside them, and
 * reports whether everything found its place.
 */
export function placeErrors<V extends Record<string, unknown>>(form: UseFormReturnType<V>, error: unknown): boolean {
  if (!(error instanceof Problem) || error.fields.length === 0) return false;
  let all = true;
  for (const field of error.fields) {
    const name = field.location.replace(/^body\./, "");
    if (name in form.getValues()) form.setFieldError(name, capitalized(field.message));
    else all = false;
  }
  return all;
}

function capitalized(message: string): string {
  const text = message.charAt(0).toUpperCase() + message.slice(1);
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** isEmail takes what looks like an address; whether it is one, a mail tells. */
export const isEmail = (value: string) => /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value.trim());

/** useRules are what a field must be; each says what is wrong, or null. */
export function useRules() {
  const t = useT();
  return {
    required: (value: string) => (value.trim() === "" ? t("form.required") : null),
    email: (value: string) => (isEmail(value) ? null : t("form.emailWrong")),
    newPassword: (value: string) => (value.length < 8 ? t("form.passwordShort") : value.length > 256 ? t("form.passwordLong") : null),
  };
}

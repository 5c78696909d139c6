import type { UseFormReturnType } from "@mantine/form";

import { Problem } from "../api/problem";

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

/** What a field must be; each returns the message key of what is wrong, or null. */
export const email = (value: string) => (/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value.trim()) ? null : ("form.emailWrong" as const));
export const required = (value: string) => (value.trim() === "" ? ("form.required" as const) : null);
export const newPassword = (value: string) => (value.length < 8 ? ("form.passwordShort" as const) : value.length > 256 ? ("form.passwordLong" as const) : null);

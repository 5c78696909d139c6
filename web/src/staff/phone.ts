/**
 * isPhone takes a colleague's number as the server does: it is for people to
 * read, so a local form or an extension is as good as any.
 */
export function isPhone(typed: string): boolean {
  const text = typed.trim();
  const digits = text.replace(/\D/g, "").length;
  return text.length <= 32 && /^[0-9+\-./() ]*$/.test(text) && digits >= 5 && digits <= 15;
}

/** phoneOf is what is sent for a field: null removes the number. */
export function phoneOf(typed: string): string | null {
  return typed.trim() || null;
}

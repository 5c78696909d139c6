/** What the console reads of an access token. It trusts nothing by it: the server checks every request. */
export interface Claims {
  /** The user. */
  sub: string;
  /** The active organization; staff tokens have none. */
  accountId?: string;
  /** Seconds the token lives from the moment it was issued. */
  lifetime: number;
}

/** readClaims decodes the payload of a JWT, or returns null for what is none. */
export function readClaims(token: string): Claims | null {
  const payload = token.split(".")[1];
  if (!payload) return null;
  try {
    const bytes = Uint8Array.from(atob(payload.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
    const claims = JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>;
    const { sub, accountId, iat, exp } = claims;
    if (typeof sub !== "string" || typeof iat !== "number" || typeof exp !== "number") return null;
    return { sub, lifetime: exp - iat, ...(typeof accountId === "string" ? { accountId } : {}) };
  } catch {
    return null;
  }
}

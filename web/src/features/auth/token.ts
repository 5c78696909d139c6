/** fragmentToken reads the token of a mailed link, which stands behind the # and so never reaches a server. */
export function fragmentToken(hash: string): string {
  return new URLSearchParams(hash.replace(/^#/, "")).get("token") ?? "";
}

/** dropFragment takes a spent token out of the address bar and the history. */
export function dropFragment(): void {
  history.replaceState(history.state, "", location.pathname + location.search);
}

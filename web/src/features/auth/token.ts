import { useEffect, useState } from "react";

/** fragmentToken reads the token of a mailed link, which stands behind the # and so never reaches a server. */
export function fragmentToken(hash: string): string {
  return new URLSearchParams(hash.replace(/^#/, "")).get("token") ?? "";
}

/**
 * useMailedToken is the token of the link that was opened last. A second link that
 * is pasted into the tab of the first changes nothing but what stands behind the #,
 * for which browsers load no page anew.
 */
export function useMailedToken(): string {
  const [token, setToken] = useState(() => fragmentToken(location.hash));
  useEffect(() => {
    const read = () => setToken((before) => fragmentToken(location.hash) || before);
    addEventListener("hashchange", read);
    return () => removeEventListener("hashchange", read);
  }, []);
  return token;
}

/** dropFragment takes a spent token out of the address bar and the history. */
export function dropFragment(): void {
  history.replaceState(history.state, "", location.pathname + location.search);
}

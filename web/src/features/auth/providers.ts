import { publicClient, unwrap } from "../../api/client";
import { Problem } from "../../api/problem";

export const slots = ["idp_a", "idp_b", "idp_c", "idp_d"] as const;
export type Slot = (typeof slots)[number];

/** A way to sign in through someone else. */
export interface Provider {
  slot: Slot;
  /** Its name, or "" when the address does not tell. */
  name: string;
}

const names: [host: RegExp, name: string][] = [
  [/(^|\.)google\.com$/, "Google"],
  [/(^|\.)microsoftonline\.com$/, "Microsoft"],
  [/(^|\.)github\.com$/, "GitHub"],
  [/(^|\.)apple\.com$/, "Apple"],
];

/** providerName guesses what people call a provider by the address it is reached at. */
export function providerName(url: string): string {
  const host = new URL(url, location.origin).hostname;
  return names.find(([pattern]) => pattern.test(host))?.[1] ?? "";
}

/** address asks for a new sign-in at a provider; each is good for one use. */
export async function address(slot: Slot): Promise<string> {
  const { url } = await unwrap(publicClient.GET(`/api/v1/auth/${slot}`));
  return url;
}

const BEGUN = "ujumbe.provider";

/**
 * begin asks for a sign-in at a provider and remembers in this tab that it was
 * begun here. The browser comes back with the same state, or with another's.
 */
export async function begin(slot: Slot): Promise<string> {
  const url = await address(slot);
  sessionStorage.setItem(BEGUN, JSON.stringify([slot, new URL(url, location.origin).searchParams.get("state")]));
  return url;
}

/**
 * begunHere tells, once, whether a return from a provider belongs to the sign-in
 * that this tab began. Without that, a link could sign people in as someone else,
 * who then reads what they enter.
 */
export function begunHere(slot: string, state: string | undefined): boolean {
  const begun = sessionStorage.getItem(BEGUN);
  sessionStorage.removeItem(BEGUN);
  return state !== undefined && begun === JSON.stringify([slot, state]);
}

const KEY = "ujumbe.providers";
const KEEP_MS = 60 * 60 * 1000;

/**
 * configured lists the slots that answer. Asking begins a sign-in at each, of
 * which the server allows an address so many, so the answer is kept for an hour.
 */
export async function configured(): Promise<Provider[]> {
  const kept = readKept(localStorage.getItem(KEY), Date.now());
  if (kept) return kept;
  const found = await Promise.all(
    slots.map(async (slot) => {
      try {
        return [{ slot, name: providerName(await address(slot)) }];
      } catch (error) {
        if (error instanceof Problem && error.status === 404) return [];
        throw error;
      }
    }),
  );
  localStorage.setItem(KEY, JSON.stringify({ at: Date.now(), providers: found.flat() }));
  return found.flat();
}

/** readKept returns the providers kept in storage, unless they are too old or not ours. */
export function readKept(text: string | null, now: number): Provider[] | null {
  try {
    const { at, providers } = JSON.parse(text ?? "null") as { at: number; providers: Provider[] };
    return now - at < KEEP_MS && providers.every(({ slot, name }) => isSlot(slot) && typeof name === "string") ? providers : null;
  } catch {
    return null;
  }
}

/** What a provider sends people back with. */
export interface Returned {
  code?: string;
  state?: string;
  error?: string;
  firstName?: string;
  lastName?: string;
}

/** returned reads it from the query, or from the fragment when the provider had it posted to the server. */
export function returned(search: Returned, hash: string): Returned {
  const fragment = new URLSearchParams(hash.replace(/^#/, ""));
  const found: Returned = {};
  for (const name of ["code", "state", "error", "firstName", "lastName"] as const) {
    const value = search[name] ?? fragment.get(name);
    if (value) found[name] = value;
  }
  return found;
}

/** isSlot tells whether a part of an address names a provider. */
export function isSlot(text: string): text is Slot {
  return (slots as readonly string[]).includes(text);
}

import { publicClient, unwrap } from "../../api/client";

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

/** configured lists the slots that answer. */
export async function configured(): Promise<Provider[]> {
  const found = await Promise.all(
    slots.map(async (slot) => {
      const url = await address(slot).catch(() => null);
      return url === null ? [] : [{ slot, name: providerName(url) }];
    }),
  );
  return found.flat();
}

/** isSlot tells whether a part of an address names a provider. */
export function isSlot(text: string): text is Slot {
  return (slots as readonly string[]).includes(text);
}

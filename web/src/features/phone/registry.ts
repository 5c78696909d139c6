import source from "../../../../internal/phone/registry.txt?raw";

/** Who carries a number, as far as its first digits tell. */
export interface Network {
  country: string;
  operator: string;
}

/** A country of the registry: how its numbers begin and how long they may be after that. */
interface Country {
  callingCode: string;
  lengths: number[];
}

/** The server's own registry, read from the same file. */
export interface Registry {
  prefixes: Map<string, Network>;
  countries: Country[];
}

const registry = parse(source);
const longest = Math.max(...[...registry.prefixes.keys()].map((prefix) => prefix.length));

/** parse reads the country and prefix lines; the file says how they are made up. */
export function parse(text: string): Registry {
  const found: Registry = { prefixes: new Map(), countries: [] };
  for (const line of text.split("\n")) {
    const prefix = /^prefix\s+(\d+)\s+([A-Z]{2})\s+(.+?)\s*$/.exec(line);
    if (prefix) found.prefixes.set(prefix[1]!, { country: prefix[2]!, operator: prefix[3]! });
    const country = /^country\s+[A-Z]{2}\s+(\d+)\s+([\d,]+)/.exec(line);
    if (country) found.countries.push({ callingCode: country[1]!, lengths: country[2]!.split(",").map(Number) });
  }
  return found;
}

/** networkOf finds the longest registered prefix of an international number, as the server does. */
export function networkOf(phone: string): Network | null {
  const digits = phone.replace(/\D/g, "");
  for (let length = Math.min(longest, digits.length); length > 0; length--) {
    const network = registry.prefixes.get(digits.slice(0, length));
    if (network) return network;
  }
  return null;
}

/**
 * accepted is the server's structural rule for the digits of an international
 * number: 7 to 15 of them, the first not 0, and in a country of the registry as
 * many as numbers there have.
 */
export function accepted(digits: string): boolean {
  if (!/^[1-9]\d{6,14}$/.test(digits)) return false;
  const country = registry.countries.find(({ callingCode }) => digits.startsWith(callingCode));
  return !country || country.lengths.includes(digits.length - country.callingCode.length);
}

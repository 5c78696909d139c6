import { parsePhoneNumberFromString, getCountryCallingCode, type CountryCode } from "libphonenumber-js/min";

import { accepted } from "../phone/registry";

/** How one cell with a phone number is read. */
export type Reading = { kind: "international" | "national"; digits: string } | { kind: "impossible"; why: "empty" | "rounded" | "length" };

/**
 * readNumber reads a number as files have it. With a country, a number without a
 * calling code is turned into one of that country; a number that a spreadsheet
 * has rounded (2.54713E+11) has lost digits and can't be saved.
 */
export function readNumber(cell: string, country: string | null): Reading {
  const text = cell.trim();
  if (text === "") return { kind: "impossible", why: "empty" };
  if (/^\d+([.,]\d+)?E\+?\d+$/i.test(text)) return { kind: "impossible", why: "rounded" };
  const written = /^\s*(\+|00)/.test(text);
  const digits = text.replace(/\D/g, "").replace(/^00/, "");
  if (written || country === null) return judged(written ? digits : text.replace(/\D/g, ""), "international");
  if (digits.startsWith(callingCode(country)) && accepted(digits)) return { kind: "international", digits };
  const national = parsePhoneNumberFromString(text.replace(/[^\d]/g, ""), country as CountryCode);
  if (national?.isValid() && accepted(national.number.slice(1))) return { kind: "national", digits: national.number.slice(1) };
  const abroad = parsePhoneNumberFromString(`+${digits}`);
  if (abroad?.isValid()) return judged(digits, "international");
  if (national?.isPossible() && accepted(national.number.slice(1))) return { kind: "national", digits: national.number.slice(1) };
  return judged(digits, "international");
}

function judged(digits: string, kind: "international"): Reading {
  return accepted(digits) ? { kind, digits } : { kind: "impossible", why: "length" };
}

function callingCode(country: string): string {
  try {
    return getCountryCallingCode(country as CountryCode);
  } catch {
    return "none";
  }
}

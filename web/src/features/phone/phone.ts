import { AsYouType, parsePhoneNumberFromString, type CountryCode } from "libphonenumber-js/min";

/** What can be said of a number before it is sent. */
export type PhoneCheck =
  | { ok: true; international: string; country: string | undefined; likely: boolean }
  | { ok: false; reason: "empty" | "tooShort" | "tooLong" | "notANumber" };

/** The bounds that the server holds for every number, of whatever country. */
const MIN_DIGITS = 7;
const MAX_DIGITS = 15;

/**
 * checkPhone reads a number as people write it. One without a calling code is
 * taken for a number of the country given. A number must have a length that
 * exists in its country; likely says whether it also looks like one in use.
 */
export function checkPhone(input: string, country?: string): PhoneCheck {
  const text = clean(input);
  if (text === "") return { ok: false, reason: "empty" };
  const number = parsePhoneNumberFromString(text, { defaultCountry: country as CountryCode | undefined, extract: false });
  if (number) {
    if (number.isPossible()) return { ok: true, international: number.number, country: number.country, likely: number.isValid() };
    return { ok: false, reason: tooShort(number.nationalNumber, number.country ?? country) ? "tooShort" : "tooLong" };
  }
  const digits = text.replace(/\D/g, "");
  if (digits.length === 0 || /[^\d\s()+.\-/]/.test(text)) return { ok: false, reason: "notANumber" };
  if (digits.length > MAX_DIGITS) return { ok: false, reason: "tooLong" };
  if (digits.length < MIN_DIGITS) return { ok: false, reason: "tooShort" };
  return { ok: false, reason: "notANumber" };
}

/** A number of this many digits is short of what any country has. */
function tooShort(national: string, country: string | undefined): boolean {
  const longer = parsePhoneNumberFromString(`${national}0`, country as CountryCode | undefined);
  return national.length < 9 || longer?.isPossible() === true;
}

/** 00 stands for + in most of the world, and the server reads it so. */
function clean(input: string): string {
  return input.trim().replace(/^00(?=\d)/, "+");
}

/** formatTyped formats a number while it is typed. */
export function formatTyped(input: string, country?: string): string {
  return new AsYouType(country as CountryCode | undefined).input(clean(input));
}

/** formatPhone writes a stored number with its groups. */
export function formatPhone(phone: string): string {
  return parsePhoneNumberFromString(phone)?.formatInternational() ?? phone;
}

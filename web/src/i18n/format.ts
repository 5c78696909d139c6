import type { Language } from "./catalogue";

/** Formats writes values the way a language does. */
export interface Formats {
  number(value: number): string;
  percent(share: number): string;
  date(iso: string): string;
  day(iso: string): string;
  moment(iso: string): string;
  country(code: string): string;
  bytes(count: number): string;
}

/** formats makes the formatters of one language, once. */
export function formats(language: Language): Formats {
  const number = new Intl.NumberFormat(language);
  const percent = new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 1 });
  const date = new Intl.DateTimeFormat(language, { dateStyle: "medium" });
  const day = new Intl.DateTimeFormat(language, { day: "numeric", month: "short" });
  const moment = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" });
  const countries = new Intl.DisplayNames([language, "en"], { type: "region", fallback: "code" });
  return {
    number: (value) => number.format(value),
    percent: (share) => percent.format(share),
    date: (iso) => date.format(new Date(iso)),
    day: (iso) => day.format(new Date(iso)),
    moment: (iso) => moment.format(new Date(iso)),
    country: (code) => (/^[A-Z]{2}$/.test(code) ? (countries.of(code) ?? code) : code),
    bytes: (count) => {
      const unit = count < 1_000_000 ? "kilobyte" : "megabyte";
      const value = Math.max(1, count) / (unit === "kilobyte" ? 1000 : 1_000_000);
      return new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "short", maximumFractionDigits: 1 }).format(value);
    },
  };
}

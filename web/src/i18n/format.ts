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

/** formats makes the formatters of one language, as a region writes it, once. */
export function formats(locale: string): Formats {
  const number = new Intl.NumberFormat(locale);
  const percent = new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: 1 });
  const date = new Intl.DateTimeFormat(locale, { dateStyle: "medium" });
  const day = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short" });
  const moment = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" });
  const countries = new Intl.DisplayNames([locale, "en"], { type: "region", fallback: "code" });
  return {
    number: (value) => number.format(value),
    percent: (share) => percent.format(share),
    date: (iso) => date.format(new Date(iso)),
    day: (iso) => day.format(new Date(iso)),
    moment: (iso) => moment.format(new Date(iso)),
    country: (code) => (/^[A-Z]{2}$/.test(code) ? (countries.of(code) ?? code) : code),
    bytes: (count) => {
      // By 1024, as the people's own computers show the sizes of files.
      const unit = count < 1024 * 1024 ? "kilobyte" : "megabyte";
      const value = Math.max(1, count) / (unit === "kilobyte" ? 1024 : 1024 * 1024);
      return new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "short", maximumFractionDigits: 1 }).format(value);
    },
  };
}

import type { CountedKey, Language, MessageKey, Messages } from "./catalogue";

export type Params = Record<string, string | number>;

/** Translate says things in one language. */
export interface Translate {
  (key: MessageKey, params?: Params): string;
  /** By number: the language's own plural rule picks the form; {count} is the formatted number. */
  count(stem: CountedKey, count: number, params?: Params): string;
  /** For keys made at run time: undefined when there is no such message. */
  maybe(key: string, params?: Params): string | undefined;
  readonly language: Language;
}

/** translator binds messages to a language. A missing key shows itself, which a test keeps from happening. */
export function translator(language: Language, messages: Messages): Translate {
  const plural = new Intl.PluralRules(language);
  const numbers = new Intl.NumberFormat(language);
  const table = messages as Record<string, string | undefined>;
  const translate = (key: string, params?: Params) => fill(table[key] ?? key, params);
  return Object.assign(translate, {
    language,
    count: (stem: CountedKey, count: number, params?: Params) => {
      const form = table[`${stem}_${plural.select(count)}`] ?? table[`${stem}_other`] ?? stem;
      return fill(form, { ...params, count: numbers.format(count) });
    },
    maybe: (key: string, params?: Params) => {
      const message = table[key];
      return message === undefined ? undefined : fill(message, params);
    },
  });
}

function fill(message: string, params?: Params): string {
  if (!params) return message;
  return message.replace(/\{(\w+)\}/g, (whole, name: string) => String(params[name] ?? whole));
}

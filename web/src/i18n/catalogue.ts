import type auth from "./messages/en/auth.json";
import type common from "./messages/en/common.json";
import type contacts from "./messages/en/contacts.json";
import type dashboard from "./messages/en/dashboard.json";
import type errors from "./messages/en/errors.json";
import type organization from "./messages/en/organization.json";
import type staff from "./messages/en/staff.json";
import type transfer from "./messages/en/transfer.json";

/** Every message the console knows, as the English files have them. */
export type Catalogue = typeof common &
  typeof errors &
  typeof auth &
  typeof contacts &
  typeof transfer &
  typeof organization &
  typeof dashboard &
  typeof staff;

export type MessageKey = keyof Catalogue;

/** Stems of messages that differ by number: "x_one" and "x_other" have the stem "x". */
export type CountedKey = MessageKey extends infer K ? (K extends `${infer Stem}_other` ? Stem : never) : never;

/** The messages of one page, in one language. */
export type Messages = Partial<Record<MessageKey, string>>;

export const languages = { en: "English", fr: "Français", sw: "Kiswahili" } as const;
export type Language = keyof typeof languages;

/** How a page gets its messages; each language is a file of its own to load. */
export type Loaders = Record<Language, () => Promise<Messages>>;

import { createContext, useContext, useEffect, useMemo, useState, type ReactNode } from "react";

import { languages, type Language, type Loaders, type Messages } from "./catalogue";
import { formats, type Formats } from "./format";
import { translator, type Translate } from "./translate";

interface I18n {
  t: Translate;
  format: Formats;
  setLanguage(language: Language): void;
}

const Context = createContext<I18n | null>(null);
const KEY = "ujumbe.language";

/** preferredLanguage is what was chosen here before, else the first the browser asks for that we have. */
export function preferredLanguage(): Language {
  const wanted = [localStorage.getItem(KEY), ...navigator.languages].map((tag) => tag?.slice(0, 2).toLowerCase());
  return (wanted.find((tag) => tag !== undefined && tag in languages) as Language | undefined) ?? "en";
}

/** localeOf is how the browser's region writes a language: dates differ between Nairobi and New York. */
function localeOf(language: Language): string {
  return navigator.languages.find((tag) => tag.slice(0, 2).toLowerCase() === language) ?? language;
}

interface Props {
  loaders: Loaders;
  initial: { language: Language; messages: Messages };
  children: ReactNode;
}

/** I18nProvider gives its children one language, and the means to change it. */
export function I18nProvider({ loaders, initial, children }: Props) {
  const [current, setCurrent] = useState(initial);

  useEffect(() => {
    document.documentElement.lang = current.language;
  }, [current.language]);

  const value = useMemo<I18n>(
    () => ({
      t: translator(current.language, current.messages),
      format: formats(localeOf(current.language)),
      setLanguage: (language) => {
        void loaders[language]().then((messages) => {
          localStorage.setItem(KEY, language);
          setCurrent({ language, messages });
        });
      },
    }),
    [current, loaders],
  );
  return <Context value={value}>{children}</Context>;
}

function useI18n(): I18n {
  const value = useContext(Context);
  if (!value) throw new Error("I18nProvider is missing");
  return value;
}

/** useT says things in the chosen language. */
export const useT = (): Translate => useI18n().t;

/** useFormat writes numbers, dates and names of countries in the chosen language. */
export const useFormat = (): Formats => useI18n().format;

/** useSetLanguage changes the language of the page. */
export const useSetLanguage = () => useI18n().setLanguage;

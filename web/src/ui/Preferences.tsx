import { ActionIcon, Menu, useComputedColorScheme, useMantineColorScheme } from "@mantine/core";

import { useSetLanguage, useT } from "../i18n/I18n";
import { languages, type Language } from "../i18n/catalogue";
import { IconCheck, IconLanguage, IconMoon, IconSun } from "./icons";

/** SchemeToggle changes between light and dark. */
export function SchemeToggle() {
  const t = useT();
  const { setColorScheme } = useMantineColorScheme();
  const dark = useComputedColorScheme("light") === "dark";
  const label = t(dark ? "shell.light" : "shell.dark");
  return (
    <ActionIcon variant="subtle" color="gray" c="var(--mantine-color-text)" size="lg" aria-label={label} title={label} onClick={() => setColorScheme(dark ? "light" : "dark")}>
      {dark ? <IconSun size={20} aria-hidden /> : <IconMoon size={20} aria-hidden />}
    </ActionIcon>
  );
}

/** LanguageMenu chooses the language of the page. */
export function LanguageMenu() {
  const t = useT();
  const setLanguage = useSetLanguage();
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" c="var(--mantine-color-text)" size="lg" aria-label={t("shell.language")} title={t("shell.language")}>
          <IconLanguage size={20} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {(Object.keys(languages) as Language[]).map((language) => (
          <Menu.Item
            key={language}
            lang={language}
            leftSection={t.language === language ? <IconCheck size={16} aria-hidden /> : <span style={{ width: 16, display: "inline-block" }} />}
            onClick={() => setLanguage(language)}
          >
            {languages[language]}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

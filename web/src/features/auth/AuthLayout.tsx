import { Anchor, Group, Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";

import { useT } from "../../i18n/I18n";
import { Brand } from "../../ui/Brand";
import { useTitle } from "../../ui/Page";
import { LanguageMenu, SchemeToggle } from "../../ui/Preferences";
import classes from "./AuthLayout.module.css";

interface Props {
  title: string;
  text?: ReactNode;
  children: ReactNode;
  /** Word after the product's name. */
  suffix?: string;
}

/** AuthLayout frames every page that comes before being signed in. */
export function AuthLayout({ title, text, children, suffix }: Props) {
  const t = useT();
  useTitle(title);
  return (
    <div className={classes.frame}>
      <aside className={classes.side} aria-hidden>
        <div className={classes.bubbles}>
          <span />
          <span />
          <span />
        </div>
        <p className={classes.saying}>{t("auth.saying")}</p>
      </aside>
      <div className={classes.content}>
        <Group component="header" justify="space-between" className={classes.head}>
          <Anchor href={suffix ? "/admin/" : "/"} underline="never" c="var(--mantine-color-text)">
            <Brand suffix={suffix} />
          </Anchor>
          <Group gap={4}>
            <LanguageMenu />
            <SchemeToggle />
          </Group>
        </Group>
        <main className={classes.main}>
          <Stack gap="lg">
            <div>
              <Title order={1} size="h2">
                {title}
              </Title>
              {text ? (
                <Text c="dimmed" mt={4} component="div">
                  {text}
                </Text>
              ) : null}
            </div>
            {children}
          </Stack>
        </main>
      </div>
    </div>
  );
}

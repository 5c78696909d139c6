import { AppShell, Burger, Group, NavLink } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { Link, useLocation } from "@tanstack/react-router";
import { useEffect, type ComponentType, type ReactNode } from "react";

import { useT } from "../i18n/I18n";
import { Brand } from "./Brand";
import classes from "./Frame.module.css";
import { LanguageMenu, SchemeToggle } from "./Preferences";

interface Props {
  /** Word after the product's name. */
  suffix?: string;
  /** Where one works, beside the product's name. */
  place?: ReactNode;
  /** The links to the pages. */
  navigation: ReactNode;
  /** What leads to oneself and out. */
  menu: ReactNode;
  children: ReactNode;
}

/** Frame stands around every page of someone who is signed in. */
export function Frame({ suffix, place, navigation, menu, children }: Props) {
  const t = useT();
  const [opened, { toggle, close }] = useDisclosure();
  const { pathname } = useLocation();
  useEffect(close, [pathname, close]);
  return (
    <AppShell header={{ height: 60 }} navbar={{ width: 248, breakpoint: "md", collapsed: { mobile: !opened } }} padding={{ base: "md", md: "xl" }}>
      <a className="skip" href="#main">
        {t("shell.skip")}
      </a>
      <AppShell.Header className={classes.header}>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap" gap="xs">
          <Group gap="sm" wrap="nowrap" className={classes.left}>
            <Burger opened={opened} onClick={toggle} hiddenFrom="md" size="sm" aria-label={t("shell.menu")} aria-expanded={opened} />
            <Link to="/" className={classes.home} data-short={place ? true : undefined} aria-label={`${suffix ? `Ujumbe ${suffix}` : "Ujumbe"}: ${t("shell.toStart")}`}>
              <Brand suffix={suffix} />
            </Link>
            {place}
          </Group>
          <Group gap={4} wrap="nowrap">
            <Group gap={4} visibleFrom="xs" wrap="nowrap">
              <LanguageMenu />
              <SchemeToggle />
            </Group>
            {menu}
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar className={classes.navbar} aria-label={t("shell.navigation")}>
        <div className={classes.pages}>{navigation}</div>
        <Group p="sm" gap={4} hiddenFrom="xs">
          <LanguageMenu />
          <SchemeToggle />
        </Group>
      </AppShell.Navbar>
      <AppShell.Main id="main" tabIndex={-1} className={classes.main}>
        <div className={classes.column}>{children}</div>
      </AppShell.Main>
    </AppShell>
  );
}

interface PageLinkProps {
  to: string;
  label: string;
  icon: ComponentType<{ size?: number; "aria-hidden"?: boolean }>;
}

/** PageLink leads to a page and shows when one is there, or on a page below it. */
export function PageLink({ to, label, icon: Icon }: PageLinkProps) {
  const { pathname } = useLocation();
  const here = pathname === to;
  return (
    <NavLink
      component={Link}
      to={to}
      label={label}
      active={here || pathname.startsWith(`${to}/`)}
      aria-current={here ? "page" : undefined}
      leftSection={<Icon size={18} aria-hidden />}
      className={classes.link}
    />
  );
}

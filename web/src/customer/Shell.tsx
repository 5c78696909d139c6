import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Outlet } from "@tanstack/react-router";
import type { ComponentType } from "react";

import { OrganizationSwitcher } from "../features/organization/OrganizationSwitcher";
import { Suspended } from "../features/organization/Suspended";
import type { MessageKey } from "../i18n/catalogue";
import { useT } from "../i18n/I18n";
import { AccountMenu } from "../ui/AccountMenu";
import { Frame, PageLink } from "../ui/Frame";
import * as icons from "../ui/icons";
import { session } from "./api";
import { accountQuery, meQuery } from "./queries";

interface Item {
  to: string;
  label: MessageKey;
  icon: ComponentType<{ size?: number; "aria-hidden"?: boolean }>;
  /** Shown to those who lead the organization only. */
  leaders?: boolean;
}

const groups: { label: MessageKey; items: Item[] }[] = [
  {
    label: "nav.people",
    items: [
      { to: "/", label: "nav.dashboard", icon: icons.IconLayoutDashboard },
      { to: "/contacts", label: "nav.contacts", icon: icons.IconAddressBook },
      { to: "/lists", label: "nav.lists", icon: icons.IconList },
      { to: "/tags", label: "nav.tags", icon: icons.IconTag },
      { to: "/trash", label: "nav.trash", icon: icons.IconTrash },
    ],
  },
  {
    label: "nav.transfer",
    items: [
      { to: "/import", label: "nav.import", icon: icons.IconFileImport },
      { to: "/imports", label: "nav.imports", icon: icons.IconHistory },
      { to: "/export", label: "nav.export", icon: icons.IconDownload },
    ],
  },
  {
    label: "nav.manage",
    items: [
      { to: "/team", label: "nav.team", icon: icons.IconUsers },
      { to: "/organization", label: "nav.organization", icon: icons.IconBuilding },
      { to: "/audit", label: "nav.audit", icon: icons.IconClipboardList, leaders: true },
    ],
  },
];

/** Shell is the frame of every page of a signed-in customer. */
export function Shell() {
  const { data: account } = useQuery(accountQuery);
  const { data: me } = useQuery(meQuery);
  const name = me ? `${me.firstName} ${me.lastName}` : "";
  return (
    <Frame
      place={<OrganizationSwitcher />}
      navigation={<Navigation />}
      menu={<AccountMenu name={name} email={me?.email} photo={me?.profilePhotoUrl} onSignOut={() => void session.end()} />}
    >
      {account?.status === "suspended" ? <Suspended /> : <Outlet />}
    </Frame>
  );
}

function Navigation() {
  const t = useT();
  const { data: me } = useQuery(meQuery);
  const leads = me?.role === "owner" || me?.role === "admin";
  return groups.map((group) => (
    <div key={group.label} style={{ marginBottom: 16 }}>
      <Text size="xs" fw={600} c="dimmed" px="sm" mb={4}>
        {t(group.label)}
      </Text>
      {group.items
        .filter((item) => !item.leaders || leads)
        .map((item) => (
          <PageLink key={item.to} to={item.to} label={t(item.label)} icon={item.icon} />
        ))}
    </div>
  ));
}

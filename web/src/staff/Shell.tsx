import { Avatar, Menu, Text, UnstyledButton, VisuallyHidden } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Outlet } from "@tanstack/react-router";

import { useT } from "../i18n/I18n";
import { Frame, PageLink } from "../ui/Frame";
import { IconBuilding, IconLogout, IconUser, IconUsers } from "../ui/icons";
import { MenuLink } from "../ui/links";
import { session } from "./api";
import { meQuery } from "./queries";

/** Shell is the frame of every page of a signed-in member of the staff. */
export function Shell() {
  const t = useT();
  const { data: me } = useQuery(meQuery);
  return (
    <Frame
      suffix={t("staff.console")}
      menu={<MemberMenu />}
      navigation={
        <>
          <PageLink to="/organizations" label={t("staff.organizations")} icon={IconBuilding} />
          {me?.role === "owner" ? <PageLink to="/staff" label={t("staff.members")} icon={IconUsers} /> : null}
          <PageLink to="/profile" label={t("nav.profile")} icon={IconUser} />
        </>
      }
    >
      <Outlet />
    </Frame>
  );
}

/** MemberMenu leads to one's profile and out. */
function MemberMenu() {
  const t = useT();
  const { data: me } = useQuery(meQuery);
  const name = me?.name ?? "";
  return (
    <Menu position="bottom-end" width={240} withinPortal>
      <Menu.Target>
        <UnstyledButton style={{ borderRadius: "50%" }}>
          <VisuallyHidden>{t("shell.account", { name })}</VisuallyHidden>
          <Avatar name={name} color="lagoon" variant="filled" alt="" aria-hidden />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <Text size="sm" fw={600} c="var(--mantine-color-text)" truncate>
            {name}
          </Text>
          <Text size="xs" truncate>
            {me?.email}
          </Text>
        </Menu.Label>
        <MenuLink to="/profile" leftSection={<IconUser size={16} aria-hidden />}>
          {t("nav.profile")}
        </MenuLink>
        <Menu.Divider />
        <Menu.Item leftSection={<IconLogout size={16} aria-hidden />} onClick={() => void session.end()}>
          {t("shell.signOut")}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

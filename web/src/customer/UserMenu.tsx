import { Avatar, Menu, Text, UnstyledButton, VisuallyHidden } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { useT } from "../i18n/I18n";
import { IconLogout, IconUser } from "../ui/icons";
import { session } from "./api";
import { meQuery } from "./queries";
import { MenuLink } from "../ui/links";

/** UserMenu leads to one's profile and out. */
export function UserMenu() {
  const t = useT();
  const { data: me } = useQuery(meQuery);
  const name = me ? `${me.firstName} ${me.lastName}` : "";
  return (
    <Menu position="bottom-end" width={240} withinPortal>
      <Menu.Target>
        <UnstyledButton style={{ borderRadius: "50%" }}>
          <VisuallyHidden>{t("shell.account", { name })}</VisuallyHidden>
          <Avatar src={me?.profilePhotoUrl || null} name={name} color="lagoon" variant="filled" alt="" aria-hidden />
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

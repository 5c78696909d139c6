import { Avatar, Menu, Text, UnstyledButton, VisuallyHidden } from "@mantine/core";

import { useT } from "../i18n/I18n";
import { IconLogout, IconUser } from "./icons";
import { MenuLink } from "./links";

interface Props {
  name: string;
  email: string | undefined;
  photo?: string | null | undefined;
  onSignOut: () => void;
}

/** AccountMenu leads to one's profile and out. */
export function AccountMenu({ name, email, photo, onSignOut }: Props) {
  const t = useT();
  return (
    <Menu position="bottom-end" width={240} withinPortal>
      <Menu.Target>
        <UnstyledButton style={{ borderRadius: "50%" }}>
          <VisuallyHidden>{t("shell.account", { name })}</VisuallyHidden>
          <Avatar src={photo || null} name={name} color="lagoon" variant="filled" alt="" aria-hidden />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <Text size="sm" fw={600} c="var(--mantine-color-text)" truncate>
            {name}
          </Text>
          <Text size="xs" truncate>
            {email}
          </Text>
        </Menu.Label>
        <MenuLink to="/profile" leftSection={<IconUser size={16} aria-hidden />}>
          {t("nav.profile")}
        </MenuLink>
        <Menu.Divider />
        <Menu.Item leftSection={<IconLogout size={16} aria-hidden />} onClick={onSignOut}>
          {t("shell.signOut")}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

import { ActionIcon, Menu } from "@mantine/core";
import type { ReactNode } from "react";

import { useT } from "../i18n/I18n";
import { IconDotsVertical } from "./icons";

/** MoreMenu holds what can be done with one row of a list; name says with which. */
export function MoreMenu({ name, children }: { name: string; children: ReactNode }) {
  const t = useT();
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" c="var(--mantine-color-text)" size="lg" aria-label={t("action.moreFor", { name })}>
          <IconDotsVertical size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  );
}

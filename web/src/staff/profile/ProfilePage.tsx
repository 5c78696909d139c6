import { Button, Group } from "@mantine/core";
import { useSuspenseQuery } from "@tanstack/react-query";

import { unwrap } from "../../api/client";
import { ChangePassword } from "../../features/profile/ChangePassword";
import { useT } from "../../i18n/I18n";
import { IconLogout } from "../../ui/icons";
import { Page } from "../../ui/Page";
import { Section } from "../../ui/Section";
import { api, session } from "../api";
import { modules } from "../permissions";
import { meQuery, myPermissionsQuery } from "../queries";
import { ChangePhone } from "./ChangePhone";

/** ProfilePage shows members what the platform knows of them and lets them do. */
export function ProfilePage() {
  const t = useT();
  const { data: me } = useSuspenseQuery(meQuery);
  return (
    <Page
      title={me.name}
      description={`${me.email} · ${t(`staff.role.${me.role}`)}`}
      maw={820}
      actions={
        <Button variant="default" leftSection={<IconLogout size={16} aria-hidden />} onClick={() => void session.end()}>
          {t("shell.signOut")}
        </Button>
      }
    >
      <ChangePhone member={me} />
      <ChangePassword email={me.email} change={(body) => unwrap(api.POST("/api/v1/admin/staff/me/change-password", { body }))} />
      <Mine />
    </Page>
  );
}

/** Mine lists what the member may do. */
function Mine() {
  const t = useT();
  const { data: mine } = useSuspenseQuery(myPermissionsQuery);
  return (
    <Section title={t("staff.mine")} text={t("staff.mineText")}>
      <dl style={{ margin: 0, display: "grid", gap: 10 }}>
        {modules.map((module) => (
          <Group key={module} justify="space-between" gap="xs">
            <dt>{t(`staff.module.${module}`)}</dt>
            <dd style={{ margin: 0, fontWeight: 600 }}>{t(`staff.level.${mine[module]}`)}</dd>
          </Group>
        ))}
      </dl>
    </Section>
  );
}

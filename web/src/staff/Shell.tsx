import { useQuery } from "@tanstack/react-query";
import { Outlet } from "@tanstack/react-router";

import { useT } from "../i18n/I18n";
import { AccountMenu } from "../ui/AccountMenu";
import { Frame, PageLink } from "../ui/Frame";
import { IconBuilding, IconUser, IconUsers } from "../ui/icons";
import { session } from "./api";
import { meQuery } from "./queries";

/** Shell is the frame of every page of a signed-in member of the staff. */
export function Shell() {
  const t = useT();
  const { data: me } = useQuery(meQuery);
  return (
    <Frame
      suffix={t("staff.console")}
      menu={<AccountMenu name={me?.name ?? ""} email={me?.email} onSignOut={() => void session.end()} />}
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

import { Text } from "@mantine/core";
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";

import { useFormat, useT } from "../../i18n/I18n";
import { Empty } from "../../ui/Empty";
import { IconUsers } from "../../ui/icons";
import { AnchorLink } from "../../ui/links";
import { Page } from "../../ui/Page";
import { PageSkeleton } from "../../ui/RouteStates";
import { membersQuery, meQuery } from "../queries";
import { Refused } from "../Refused";
import { Access } from "./Access";
import { Details } from "./Details";
import { PermissionMatrix } from "./PermissionMatrix";

const route = getRouteApi("/shell/staff/$id");

/** MemberPage shows one member to owners, and lets them change what there is to change. */
export function MemberPage() {
  const t = useT();
  const format = useFormat();
  const { id } = route.useParams();
  const { data: me } = useSuspenseQuery(meQuery);
  const members = useQuery(membersQuery);
  if (members.error) return <Refused title={t("staff.members")} error={members.error} retry={() => void members.refetch()} />;
  if (!members.data) return <PageSkeleton />;
  const back = (
    <AnchorLink to="/staff" size="sm">
      {t("staff.allMembers")}
    </AnchorLink>
  );
  const member = members.data.find((one) => one.id === id);
  if (!member) {
    return (
      <Page title={t("staff.members")}>
        <div className="panel">
          <Empty icon={IconUsers} title={t("staff.unknown")} text={t("staff.unknownText")}>
            {back}
          </Empty>
        </div>
      </Page>
    );
  }
  return (
    <Page
      title={member.name}
      maw={820}
      description={
        <>
          <Text inherit>
            {t(`staff.role.${member.role}`)} · {t("staff.since", { date: format.date(member.createdAt) })}
          </Text>
          {back}
        </>
      }
    >
      <Details key={member.id} member={member} />
      <PermissionMatrix key={`${member.id} levels`} member={member} />
      <Access member={member} self={member.id === me.id} />
    </Page>
  );
}

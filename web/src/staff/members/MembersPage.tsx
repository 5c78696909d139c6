import { Avatar, Button, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";

import { useT } from "../../i18n/I18n";
import { IconUserPlus } from "../../ui/icons";
import { AnchorLink } from "../../ui/links";
import { Page } from "../../ui/Page";
import { RowsSkeleton } from "../../ui/RouteStates";
import { membersQuery, meQuery, type Member } from "../queries";
import { Refused } from "../Refused";
import { Row, Rows, State } from "../Rows";
import { CreateMember } from "./CreateMember";

/** MembersPage shows the staff to its owners. */
export function MembersPage() {
  const t = useT();
  const { data: me } = useSuspenseQuery(meQuery);
  const members = useQuery(membersQuery);
  const [creating, { open, close }] = useDisclosure();
  if (members.error) return <Refused title={t("staff.members")} error={members.error} retry={() => void members.refetch()} />;
  return (
    <Page
      title={t("staff.members")}
      description={t("staff.membersText")}
      actions={
        <Button leftSection={<IconUserPlus size={16} aria-hidden />} onClick={open}>
          {t("staff.add")}
        </Button>
      }
    >
      {members.data ? (
        <Rows>
          {members.data.map((member) => (
            <MemberRow key={member.id} member={member} self={member.id === me.id} />
          ))}
        </Rows>
      ) : (
        <RowsSkeleton rows={5} height={72} />
      )}
      <CreateMember opened={creating} onClose={close} />
    </Page>
  );
}

function MemberRow({ member, self }: { member: Member; self: boolean }) {
  const t = useT();
  return (
    <Row
      start={<Avatar name={member.name} color="lagoon" variant={member.isActive ? "filled" : "default"} alt="" aria-hidden />}
      name={
        <>
          <AnchorLink to="/staff/$id" params={{ id: member.id }} fw={600}>
            {member.name}
          </AnchorLink>
          {self ? (
            <Text span size="sm" c="dimmed">
              {" "}
              {t("staff.you")}
            </Text>
          ) : null}
        </>
      }
      below={
        <Text size="sm" c="dimmed" truncate>
          {member.email}
          {member.phone ? ` · ${member.phone}` : ""}
        </Text>
      }
      facts={
        <>
          <span>{t(`staff.role.${member.role}`)}</span>
          <State on={member.isActive}>{t(member.isActive ? "staff.active" : "staff.inactive")}</State>
        </>
      }
    />
  );
}

import { Alert, Avatar, Badge, Button, Group, Table, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";

import { meQuery } from "../../customer/queries";
import { useFormat, useT } from "../../i18n/I18n";
import { Failure } from "../../ui/Failure";
import { IconUserPlus } from "../../ui/icons";
import { Page } from "../../ui/Page";
import { RowsSkeleton } from "../../ui/RouteStates";
import { Invitations } from "./Invitations";
import { InviteForm } from "./InviteForm";
import { MemberMenu } from "./MemberMenu";
import { teamQuery, type Member } from "./queries";
import classes from "./Team.module.css";

/** TeamPage shows who works in the organization and, to those who may, how to change it. */
export function TeamPage() {
  const t = useT();
  const [inviting, { open, close }] = useDisclosure();
  const { data: me } = useQuery(meQuery);
  const owner = me?.role === "owner";
  const mayInvite = owner || me?.role === "admin";
  const team = useQuery({ ...teamQuery(owner), enabled: me !== undefined });
  const alone = team.data?.length === 1;
  return (
    <Page
      title={t("nav.team")}
      description={t("team.text")}
      actions={
        mayInvite ? (
          <Button leftSection={<IconUserPlus size={16} aria-hidden />} onClick={open}>
            {t("team.invite")}
          </Button>
        ) : null
      }
    >
      <Failure error={team.error} retry={() => void team.refetch()} />
      {alone && mayInvite ? <Alert role="note" variant="light">{t("team.alone")}</Alert> : null}
      {team.isPending ? <RowsSkeleton rows={3} height={60} /> : null}
      {team.data ? <Members members={team.data} myId={me?.id} owner={owner} /> : null}
      {mayInvite ? <Invitations /> : null}
      <InviteForm opened={inviting} onClose={close} />
    </Page>
  );
}

function Members({ members, myId, owner }: { members: Member[]; myId: string | undefined; owner: boolean }) {
  const t = useT();
  return (
    <div className="panel">
      <Table verticalSpacing="sm" horizontalSpacing="md">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t("team.member")}</Table.Th>
            <Table.Th>{t("team.role")}</Table.Th>
            <Table.Th visibleFrom="sm">{t("team.lastLogin")}</Table.Th>
            {owner ? <Table.Th w={56} aria-label={t("action.actions")} /> : null}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {members.map((member) => (
            <Row key={member.id} member={member} isMe={member.id === myId} owner={owner} />
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

function Row({ member, isMe, owner }: { member: Member; isMe: boolean; owner: boolean }) {
  const t = useT();
  const format = useFormat();
  const name = `${member.firstName} ${member.lastName}`.trim();
  return (
    <Table.Tr>
      <Table.Td>
        <Group gap="sm" wrap="nowrap">
          <Avatar name={name} color="lagoon" visibleFrom="xs" aria-hidden />
          <div className={classes.who}>
            <Text fw={550} size="sm" lineClamp={3}>
              {name} {isMe ? <Text span size="xs" c="dimmed">{t("team.you")}</Text> : null}
            </Text>
            <Text size="xs" c="dimmed">
              {member.email}
            </Text>
            {member.isActive ? null : (
              <Badge size="sm" color="gray" variant="outline" c="dimmed" tt="none">
                {t("team.inactive")}
              </Badge>
            )}
            {member.isVerified ? null : (
              <Badge size="sm" color="orange.9" variant="outline" tt="none">
                {t("team.unverified")}
              </Badge>
            )}
          </div>
        </Group>
      </Table.Td>
      <Table.Td>{t.maybe(`role.${member.role}`) ?? member.role}</Table.Td>
      <Table.Td visibleFrom="sm">{member.lastLoginAt ? format.moment(member.lastLoginAt) : t("team.never")}</Table.Td>
      {owner ? <Table.Td>{isMe || member.role === "owner" ? null : <MemberMenu member={member} />}</Table.Td> : null}
    </Table.Tr>
  );
}

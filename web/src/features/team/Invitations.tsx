import { Button, Group, Stack, Text, Title } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";

import { unwrap } from "../../api/client";
import { api } from "../../customer/api";
import { useFormat, useT } from "../../i18n/I18n";
import { Failure } from "../../ui/Failure";
import { notify, notifyFailure } from "../../ui/notify";
import { sentence } from "../../ui/sentence";
import { invitationsQuery } from "./queries";

/** Invitations are those that nobody has accepted yet. */
export function Invitations() {
  const t = useT();
  const format = useFormat();
  const queries = useQueryClient();
  const invitations = useQuery(invitationsQuery);
  const withdraw = useMutation({
    mutationFn: (id: string) => unwrap(api.DELETE("/api/v1/users/invitations/{id}", { params: { path: { id } } })),
    onSuccess: async () => {
      notify(t("team.withdrawn"));
      await queries.invalidateQueries({ queryKey: invitationsQuery.queryKey });
    },
    onError: (error) => notifyFailure(sentence(t, error)),
  });
  if (invitations.error) return <Failure error={invitations.error} retry={() => void invitations.refetch()} />;
  if (!invitations.data?.length) return null;
  return (
    <section className="panel" style={{ padding: 16 }}>
      <Title order={2} size="h5" mb="sm">
        {t("team.pending")}
      </Title>
      <Stack gap="sm">
        {invitations.data.map((invitation) => (
          <Group key={invitation.id} justify="space-between">
            <div>
              <Text size="sm" fw={550}>
                {invitation.email}
              </Text>
              <Text size="xs" c="dimmed">
                {t("team.pendingText", { role: t.maybe(`role.${invitation.role}`) ?? invitation.role, date: format.date(invitation.expiresAt) })}
              </Text>
            </div>
            <Button size="xs" variant="default" loading={withdraw.isPending && withdraw.variables === invitation.id} onClick={() => withdraw.mutate(invitation.id)}>
              {t("team.withdraw")}
            </Button>
          </Group>
        ))}
      </Stack>
    </section>
  );
}

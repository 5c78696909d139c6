import { Button, Group } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useMutation, useQueryClient } from "@tanstack/react-query";

import { unwrap } from "../../api/client";
import { useT } from "../../i18n/I18n";
import { Confirm } from "../../ui/Confirm";
import { Failure } from "../../ui/Failure";
import { IconMail } from "../../ui/icons";
import { notify } from "../../ui/notify";
import { api } from "../api";
import { membersQuery, type Member } from "../queries";
import { State } from "../Rows";
import { Section } from "../../ui/Section";
import { requestReset } from "../sign-in/calls";

/** Access opens and closes the console to a member. */
export function Access({ member, self }: { member: Member; self: boolean }) {
  const t = useT();
  const queries = useQueryClient();
  const [asking, { open, close }] = useDisclosure();
  const { name, email, isActive } = member;
  const change = useMutation({
    mutationFn: (active: boolean) => unwrap(api.PATCH("/api/v1/admin/staff/{id}/active", { params: { path: { id: member.id } }, body: { active } })),
    onSuccess: async (_, active) => {
      close();
      notify(t(active ? "staff.activated" : "staff.deactivated", { name }));
      await queries.invalidateQueries(membersQuery);
    },
  });
  const invite = useMutation({ mutationFn: () => requestReset(email), onSuccess: () => notify(t("staff.linkMailed", { email })) });
  return (
    <Section title={t("staff.access")} text={t(isActive ? "staff.accessActive" : "staff.accessInactive", { name })}>
      <Group justify="space-between">
        <State on={isActive}>{t(isActive ? "staff.active" : "staff.inactive")}</State>
        <Group gap="xs">
          {isActive && !self ? (
            <Button variant="default" leftSection={<IconMail size={16} aria-hidden />} loading={invite.isPending} onClick={() => invite.mutate()}>
              {t("staff.mailLink")}
            </Button>
          ) : null}
          <Button variant="default" onClick={open}>
            {t(isActive ? "staff.deactivate" : "staff.activate")}
          </Button>
        </Group>
      </Group>
      <Failure error={invite.error} />
      <Confirm
        opened={asking}
        title={t(isActive ? "staff.deactivateTitle" : "staff.activateTitle", { name })}
        text={t(isActive ? "staff.deactivateText" : "staff.activateText", { name })}
        action={t(isActive ? "staff.deactivate" : "staff.activate")}
        danger={isActive}
        busy={change.isPending}
        error={change.error}
        onConfirm={() => change.mutate(!isActive)}
        onClose={() => {
          change.reset();
          close();
        }}
      />
    </Section>
  );
}

import { Button, Checkbox, Modal, PasswordInput, Radio, SegmentedControl, SimpleGrid, Stack, Text, TextInput } from "@mantine/core";
import "@mantine/core/styles/SegmentedControl.css";
import { useForm } from "@mantine/form";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { unwrap } from "../../api/client";
import { Problem } from "../../api/problem";
import { api } from "../../customer/api";
import { useT } from "../../i18n/I18n";
import { Failure } from "../../ui/Failure";
import { placeErrors, useRules } from "../../ui/fields";
import { FormButtons } from "../../ui/FormButtons";
import { notify } from "../../ui/notify";

type Way = "mail" | "create";

/**
 * InviteForm brings someone into the organization: by a mailed invitation, which
 * also works for people who are registered already, or by making a user for them
 * with a first password.
 */
export function InviteForm({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const t = useT();
  const [way, setWay] = useState<Way>("create");
  return (
    <Modal opened={opened} onClose={onClose} title={t("team.invite")} centered closeButtonProps={{ "aria-label": t("action.close") }}>
      <Stack>
        <SegmentedControl
          fullWidth
          aria-label={t("team.inviteWay")}
          value={way}
          onChange={(value) => setWay(value as Way)}
          data={[
            { value: "create", label: t("team.byPassword") },
            { value: "mail", label: t("team.byMail") },
          ]}
        />
        <Text size="sm" c="dimmed">
          {t(way === "mail" ? "team.byMailText" : "team.byPasswordText")}
        </Text>
        {way === "mail" ? <MailForm onClose={onClose} /> : <CreateForm onClose={onClose} onRegistered={() => setWay("mail")} />}
      </Stack>
    </Modal>
  );
}

function MailForm({ onClose }: { onClose: () => void }) {
  const t = useT();
  const queries = useQueryClient();
  const rules = useRules();
  const form = useForm({
    initialValues: { email: "", role: "member" as "admin" | "member" },
    validate: { email: rules.email },
  });
  const invite = useMutation({
    mutationFn: () => unwrap(api.POST("/api/v1/users/invitations", { body: { ...form.values, email: form.values.email.trim() } })),
    onSuccess: async () => {
      notify(t("team.invited", { email: form.values.email.trim() }));
      onClose();
      await queries.invalidateQueries({ queryKey: ["team"] });
    },
    onError: (error) => placeErrors(form, error),
  });
  return (
    <form noValidate onSubmit={form.onSubmit(() => invite.mutate())}>
      <Stack>
        <TextInput label={t("field.email")} type="email" data-autofocus {...form.getInputProps("email")} />
        <RoleField {...form.getInputProps("role")} />
        <Failure error={invite.error} />
        <FormButtons action={t("team.sendInvitation")} busy={invite.isPending} onCancel={onClose} />
      </Stack>
    </form>
  );
}

function CreateForm({ onClose, onRegistered }: { onClose: () => void; onRegistered: () => void }) {
  const t = useT();
  const queries = useQueryClient();
  const rules = useRules();
  const form = useForm({
    initialValues: { firstName: "", lastName: "", email: "", password: "", role: "member" as "admin" | "member", sendInvitation: false },
    validate: { firstName: rules.required, lastName: rules.required, email: rules.email, password: rules.newPassword },
  });
  const invite = useMutation({
    mutationFn: () => unwrap(api.POST("/api/v1/users/invite", { body: { ...form.values, email: form.values.email.trim() } })),
    onSuccess: async (user) => {
      notify(t("team.created", { name: `${user.firstName} ${user.lastName}` }));
      onClose();
      await queries.invalidateQueries({ queryKey: ["team"] });
    },
    onError: (error) => placeErrors(form, error),
  });
  const registered = invite.error instanceof Problem && invite.error.status === 409;
  return (
    <form noValidate onSubmit={form.onSubmit(() => invite.mutate())}>
      <Stack>
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <TextInput label={t("field.firstName")} data-autofocus autoComplete="off" {...form.getInputProps("firstName")} />
          <TextInput label={t("field.lastName")} autoComplete="off" {...form.getInputProps("lastName")} />
        </SimpleGrid>
        <TextInput label={t("field.email")} type="email" autoComplete="off" {...form.getInputProps("email")} />
        <PasswordInput label={t("team.firstPassword")} description={t("form.passwordHint")} autoComplete="new-password" {...form.getInputProps("password")} />
        <RoleField {...form.getInputProps("role")} />
        <Checkbox label={t("team.tellByMail")} {...form.getInputProps("sendInvitation", { type: "checkbox" })} />
        <Failure error={invite.error} />
        {registered ? (
          <Button variant="light" onClick={onRegistered}>
            {t("team.useMail")}
          </Button>
        ) : null}
        <FormButtons action={t("team.addMember")} busy={invite.isPending} onCancel={onClose} />
      </Stack>
    </form>
  );
}

interface RoleProps {
  value?: string;
  onChange?: (value: string) => void;
}

function RoleField({ value, onChange }: RoleProps) {
  const t = useT();
  return (
    <Radio.Group label={t("team.role")} value={value ?? "member"} onChange={(next) => onChange?.(next)}>
      <Stack gap="xs" mt={4}>
        <Radio value="member" label={t("role.member")} description={t("team.memberMay")} />
        <Radio value="admin" label={t("role.admin")} description={t("team.adminMay")} />
      </Stack>
    </Radio.Group>
  );
}

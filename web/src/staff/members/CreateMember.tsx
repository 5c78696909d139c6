import { Modal, PasswordInput, Radio, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";

import { unwrap } from "../../api/client";
import { useT } from "../../i18n/I18n";
import { Failure } from "../../ui/Failure";
import { placeErrors, useRules } from "../../ui/fields";
import { FormButtons } from "../../ui/FormButtons";
import { notify } from "../../ui/notify";
import { api } from "../api";
import { membersQuery, type Member } from "../queries";

interface Props {
  opened: boolean;
  onClose: () => void;
}

/** CreateMember takes someone onto the staff. */
export function CreateMember({ opened, onClose }: Props) {
  const t = useT();
  return (
    <Modal opened={opened} onClose={onClose} title={t("staff.add")} centered closeButtonProps={{ "aria-label": t("action.close") }}>
      <Fields onClose={onClose} />
    </Modal>
  );
}

function Fields({ onClose }: { onClose: () => void }) {
  const t = useT();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const rules = useRules();
  const form = useForm({
    initialValues: { name: "", email: "", role: "staff" as Member["role"], password: "" },
    validate: {
      name: rules.required,
      email: rules.email,
      password: (v) => (v === "" ? null : rules.newPassword(v)),
    },
  });
  const create = useMutation({
    mutationFn: () => {
      const { password, ...member } = { ...form.values, email: form.values.email.trim() };
      return unwrap(api.POST("/api/v1/admin/staff", { body: password === "" ? member : { ...member, password } }));
    },
    onSuccess: async (member) => {
      notify(form.values.password === "" ? t("staff.invited", { email: member.email }) : t("staff.added", { name: member.name }));
      await queries.invalidateQueries(membersQuery);
      onClose();
      // What is left to do is on their page: say what they may do.
      await navigate({ to: "/staff/$id", params: { id: member.id } });
    },
    onError: (error) => placeErrors(form, error),
  });
  return (
    <form noValidate onSubmit={form.onSubmit(() => create.mutate())}>
      <Stack>
        <TextInput label={t("staff.name")} maxLength={100} autoComplete="off" data-autofocus {...form.getInputProps("name")} />
        <TextInput label={t("field.email")} type="email" maxLength={254} autoComplete="off" {...form.getInputProps("email")} />
        <Radio.Group label={t("staff.role")} {...form.getInputProps("role")}>
          <Stack gap="xs" mt="xs">
            <Radio value="staff" label={t("staff.role.staff")} description={t("staff.roleHint.staff")} />
            <Radio value="owner" label={t("staff.role.owner")} description={t("staff.roleHint.owner")} />
          </Stack>
        </Radio.Group>
        <PasswordInput label={t("staff.passwordOptional")} description={t("staff.passwordHint")} autoComplete="new-password" {...form.getInputProps("password")} />
        <Failure error={create.error} />
        <FormButtons action={t(form.values.password === "" ? "staff.addAndInvite" : "staff.add")} busy={create.isPending} onCancel={onClose} />
      </Stack>
    </form>
  );
}

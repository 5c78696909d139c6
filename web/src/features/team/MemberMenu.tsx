import { Menu, Modal, PasswordInput, Stack, Text } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { unwrap } from "../../api/client";
import { api } from "../../customer/api";
import { useT } from "../../i18n/I18n";
import { Confirm } from "../../ui/Confirm";
import { Failure } from "../../ui/Failure";
import { placeErrors, useRules } from "../../ui/fields";
import { FormButtons } from "../../ui/FormButtons";
import { MoreMenu } from "../../ui/MoreMenu";
import { notify, notifyFailure } from "../../ui/notify";
import { sentence } from "../../ui/sentence";
import type { Member } from "./queries";

/** MemberMenu is what an owner may do with a member. */
export function MemberMenu({ member }: { member: Member }) {
  const t = useT();
  const queries = useQueryClient();
  const [asking, setAsking] = useState<"deactivate" | "remove" | "password" | null>(null);
  const name = `${member.firstName} ${member.lastName}`.trim();
  const params = { path: { id: member.id } };
  const close = () => {
    setAsking(null);
    deactivate.reset();
    remove.reset();
  };
  const done = async (message: string) => {
    close();
    notify(message);
    await queries.invalidateQueries({ queryKey: ["team"] });
  };
  const setRole = useMutation({
    mutationFn: (role: "admin" | "member") => unwrap(api.PATCH("/api/v1/users/{id}/role", { params, body: { role } })),
    onSuccess: (_, role) => done(t("team.roleChanged", { name, role: t(`role.${role}`) })),
    onError: (error) => notifyFailure(sentence(t, error)),
  });
  const deactivate = useMutation({
    mutationFn: () => unwrap(api.POST("/api/v1/users/{id}/deactivate", { params })),
    onSuccess: () => done(t("team.deactivated", { name })),
  });
  const reactivate = useMutation({
    mutationFn: () => unwrap(api.POST("/api/v1/users/{id}/reactivate", { params })),
    onSuccess: () => done(t("team.reactivated", { name })),
    onError: (error) => notifyFailure(sentence(t, error)),
  });
  const remove = useMutation({
    mutationFn: () => unwrap(api.DELETE("/api/v1/users/{id}", { params })),
    onSuccess: () => done(t("team.removed", { name })),
  });
  const other = member.role === "admin" ? "member" : "admin";
  return (
    <>
      <MoreMenu name={name}>
        <Menu.Item onClick={() => setRole.mutate(other)}>{t("team.makeRole", { role: t(`role.${other}`) })}</Menu.Item>
        <Menu.Item onClick={() => setAsking("password")}>{t("team.resetPassword")}</Menu.Item>
        {member.isActive ? (
          <Menu.Item onClick={() => setAsking("deactivate")}>{t("team.deactivate")}</Menu.Item>
        ) : (
          <Menu.Item onClick={() => reactivate.mutate()}>{t("team.reactivate")}</Menu.Item>
        )}
        <Menu.Divider />
        <Menu.Item c="var(--mantine-color-error)" onClick={() => setAsking("remove")}>
          {t("team.remove")}
        </Menu.Item>
      </MoreMenu>
      <Confirm
        opened={asking === "deactivate"}
        title={t("team.deactivateTitle", { name })}
        text={t("team.deactivateText")}
        action={t("team.deactivate")}
        danger
        busy={deactivate.isPending}
        error={deactivate.error}
        onConfirm={() => deactivate.mutate()}
        onClose={close}
      />
      <Confirm
        opened={asking === "remove"}
        title={t("team.removeTitle", { name })}
        text={t("team.removeText")}
        action={t("team.remove")}
        danger
        busy={remove.isPending}
        error={remove.error}
        onConfirm={() => remove.mutate()}
        onClose={close}
      />
      <PasswordDialog opened={asking === "password"} member={member} name={name} onClose={close} />
    </>
  );
}

function PasswordDialog({ opened, member, name, onClose }: { opened: boolean; member: Member; name: string; onClose: () => void }) {
  const t = useT();
  const rules = useRules();
  const form = useForm({ initialValues: { newPassword: "" }, validate: { newPassword: rules.newPassword } });
  const set = useMutation({
    mutationFn: () => unwrap(api.POST("/api/v1/users/{id}/reset-password", { params: { path: { id: member.id } }, body: form.values })),
    onSuccess: () => {
      notify(t("team.passwordSet", { name }));
      form.reset();
      onClose();
    },
    onError: (error) => placeErrors(form, error),
  });
  return (
    <Modal opened={opened} onClose={onClose} title={t("team.resetPassword")} centered closeButtonProps={{ "aria-label": t("action.close") }}>
      <form noValidate onSubmit={form.onSubmit(() => set.mutate())}>
        <Stack>
          <Text size="sm">{t("team.resetPasswordText", { name })}</Text>
          <PasswordInput label={t("field.newPassword")} description={t("form.passwordHint")} autoComplete="new-password" data-autofocus {...form.getInputProps("newPassword")} />
          <Failure error={set.error} />
          <FormButtons action={t("action.save")} busy={set.isPending} onCancel={onClose} />
        </Stack>
      </form>
    </Modal>
  );
}

import { Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQueryClient } from "@tanstack/react-query";

import { unwrap } from "../../api/client";
import { useT } from "../../i18n/I18n";
import { Failure } from "../../ui/Failure";
import { placeErrors } from "../../ui/fields";
import { FormButtons } from "../../ui/FormButtons";
import { notify } from "../../ui/notify";
import { api } from "../api";
import { isPhone, phoneOf } from "../phone";
import { meQuery, type Member } from "../queries";
import { Section } from "../../ui/Section";

/** ChangePhone is the one part of themselves that members may change. */
export function ChangePhone({ member }: { member: Member }) {
  const t = useT();
  const queries = useQueryClient();
  const form = useForm({
    initialValues: { phone: member.phone ?? "" },
    validate: { phone: (v) => (v.trim() === "" || isPhone(v) ? null : t("staff.phoneWrong")) },
  });
  const save = useMutation({
    mutationFn: () => unwrap(api.PATCH("/api/v1/admin/staff/me", { body: { phone: phoneOf(form.values.phone) } })),
    onSuccess: ({ staff }) => {
      queries.setQueryData(meQuery.queryKey, staff);
      form.setInitialValues({ phone: staff.phone ?? "" });
      form.reset();
      notify(t("staff.saved"));
    },
    onError: (error) => placeErrors(form, error),
  });
  return (
    <Section title={t("staff.reach")} text={t("staff.reachText")}>
      <form noValidate onSubmit={form.onSubmit(() => save.mutate())}>
        <Stack>
          <TextInput label={t("field.phone")} type="tel" maxLength={32} autoComplete="tel" maw={360} {...form.getInputProps("phone")} />
          <Failure error={save.error} />
          <FormButtons action={t("action.save")} busy={save.isPending} disabled={!form.isDirty()} />
        </Stack>
      </form>
    </Section>
  );
}

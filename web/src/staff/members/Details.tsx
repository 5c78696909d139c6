import { SimpleGrid, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQueryClient } from "@tanstack/react-query";

import { unwrap } from "../../api/client";
import { useT } from "../../i18n/I18n";
import { Failure } from "../../ui/Failure";
import { placeErrors, useRules } from "../../ui/fields";
import { FormButtons } from "../../ui/FormButtons";
import { notify } from "../../ui/notify";
import { api } from "../api";
import { isPhone, phoneOf } from "../phone";
import { membersQuery, meQuery, type Member } from "../queries";
import { Section } from "../../ui/Section";

/** Details changes a member's name and phone. */
export function Details({ member }: { member: Member }) {
  const t = useT();
  const queries = useQueryClient();
  const rules = useRules();
  const form = useForm({
    initialValues: { name: member.name, phone: member.phone ?? "" },
    validate: {
      name: rules.required,
      phone: (v) => (v.trim() === "" || isPhone(v) ? null : t("staff.phoneWrong")),
    },
  });
  const save = useMutation({
    mutationFn: () =>
      unwrap(api.PATCH("/api/v1/admin/staff/{id}", { params: { path: { id: member.id } }, body: { name: form.values.name, phone: phoneOf(form.values.phone) } })),
    onSuccess: async ({ staff }) => {
      form.setInitialValues({ name: staff.name, phone: staff.phone ?? "" });
      form.reset();
      notify(t("staff.saved"));
      await Promise.all([queries.invalidateQueries(membersQuery), queries.invalidateQueries(meQuery)]);
    },
    onError: (error) => placeErrors(form, error),
  });
  return (
    <Section title={t("staff.details")}>
      <form noValidate onSubmit={form.onSubmit(() => save.mutate())}>
        <Stack>
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <TextInput label={t("staff.name")} maxLength={100} autoComplete="off" {...form.getInputProps("name")} />
            <TextInput label={t("field.phone")} type="tel" maxLength={32} autoComplete="off" {...form.getInputProps("phone")} />
          </SimpleGrid>
          <TextInput label={t("field.email")} description={t("staff.emailFixed")} value={member.email} readOnly variant="filled" />
          <Failure error={save.error} />
          <FormButtons action={t("action.save")} busy={save.isPending} disabled={!form.isDirty()} />
        </Stack>
      </form>
    </Section>
  );
}

import { Alert, Select, SimpleGrid, Skeleton, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";

import { unwrap } from "../../api/client";
import type { components } from "../../api/schema";
import { api } from "../../customer/api";
import { accountQuery, accountsQuery, meQuery } from "../../customer/queries";
import { useFormat, useT } from "../../i18n/I18n";
import { Failure } from "../../ui/Failure";
import { placeErrors, useRules } from "../../ui/fields";
import { FormButtons } from "../../ui/FormButtons";
import { notify } from "../../ui/notify";
import { Page } from "../../ui/Page";
import { countryCodes, timezones } from "./places";

type Account = components["schemas"]["Account"];

/** OrganizationPage shows the organization and lets its owners and admins change it. */
export function OrganizationPage() {
  const t = useT();
  const account = useQuery(accountQuery);
  const { data: me } = useQuery(meQuery);
  const mayChange = me?.role === "owner" || me?.role === "admin";
  return (
    <Page title={t("nav.organization")} description={t("organization.text")} maw={720}>
      <Failure error={account.error} retry={() => void account.refetch()} />
      {me && !mayChange ? <Alert role="note" color="gray">{t("organization.readOnly")}</Alert> : null}
      {account.isPending ? <Skeleton h={420} radius="lg" /> : null}
      {account.data && me ? <Form key={account.data.id} account={account.data} mayChange={mayChange} /> : null}
    </Page>
  );
}

function Form({ account, mayChange }: { account: Account; mayChange: boolean }) {
  const t = useT();
  const format = useFormat();
  const queries = useQueryClient();
  const countries = useMemo(
    () => countryCodes.map((code) => ({ value: code, label: format.country(code) })).sort((a, b) => a.label.localeCompare(b.label, t.language)),
    [format, t.language],
  );
  const rules = useRules();
  const form = useForm({
    initialValues: {
      name: account.name,
      country: account.country,
      timezone: account.timezone,
      address: account.address ?? "",
      city: account.city ?? "",
      state: account.state ?? "",
      zipCode: account.zipCode ?? "",
    },
    validate: { name: rules.required },
  });
  const save = useMutation({
    mutationFn: () => {
      const { name, country, timezone, ...rest } = form.values;
      const nullable = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, value.trim() || null]));
      return unwrap(api.PATCH("/api/v1/accounts/me", { body: { name, country, timezone, ...nullable } }));
    },
    onSuccess: async (changed) => {
      queries.setQueryData(accountQuery.queryKey, changed);
      form.resetDirty();
      notify(t("organization.saved"));
      await queries.invalidateQueries({ queryKey: accountsQuery.queryKey });
    },
    onError: (error) => placeErrors(form, error),
  });
  return (
    <form noValidate className="panel" style={{ padding: 20 }} onSubmit={form.onSubmit(() => save.mutate())}>
      <Stack>
        <TextInput label={t("field.organization")} maxLength={100} readOnly={!mayChange} {...form.getInputProps("name")} />
        <SimpleGrid cols={{ base: 1, sm: 2 }} style={{ alignItems: "end" }}>
          <Select label={t("organization.country")} description={t("organization.countryHint")} data={countries} searchable allowDeselect={false} readOnly={!mayChange} {...form.getInputProps("country")} />
          <Select label={t("organization.timezone")} description={t("organization.timezoneHint")} data={timezones(account.timezone)} searchable allowDeselect={false} limit={200} readOnly={!mayChange} {...form.getInputProps("timezone")} />
        </SimpleGrid>
        <TextInput label={t("organization.address")} maxLength={255} autoComplete="street-address" readOnly={!mayChange} {...form.getInputProps("address")} />
        <SimpleGrid cols={{ base: 1, sm: 3 }}>
          <TextInput label={t("organization.city")} maxLength={100} readOnly={!mayChange} {...form.getInputProps("city")} />
          <TextInput label={t("organization.state")} maxLength={100} readOnly={!mayChange} {...form.getInputProps("state")} />
          <TextInput label={t("organization.zipCode")} maxLength={20} readOnly={!mayChange} {...form.getInputProps("zipCode")} />
        </SimpleGrid>
        <Failure error={save.error} />
        {mayChange ? <FormButtons action={t("action.save")} busy={save.isPending} disabled={!form.isDirty()} /> : null}
      </Stack>
    </form>
  );
}

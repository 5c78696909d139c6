import { Alert, Button, SimpleGrid, Skeleton, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";

import { unwrap } from "../../api/client";
import type { components } from "../../api/schema";
import { api } from "../../customer/api";
import { accountQuery, meQuery } from "../../customer/queries";
import { useT } from "../../i18n/I18n";
import { Failure } from "../../ui/Failure";
import { placeErrors, useRules } from "../../ui/fields";
import { FormButtons } from "../../ui/FormButtons";
import { notify } from "../../ui/notify";
import { Page } from "../../ui/Page";
import { Section } from "../../ui/Section";
import { resendVerification } from "../auth/calls";
import { checkPhone, formatPhone } from "../phone/phone";
import { PhoneField } from "../phone/PhoneField";
import { ChangePassword } from "./ChangePassword";
import { PhotoField } from "./PhotoField";

type Profile = components["schemas"]["Profile"];

/** ProfilePage is where people change what is known of themselves. */
export function ProfilePage() {
  const t = useT();
  const me = useQuery(meQuery);
  return (
    <Page title={t("nav.profile")} maw={720}>
      <Failure error={me.error} retry={() => void me.refetch()} />
      {me.isPending ? <Skeleton h={360} radius="lg" /> : null}
      {me.data ? (
        <>
          <Section title={t("profile.you")}>
            <PhotoField user={me.data} />
            <DetailsForm key={me.data.id} user={me.data} />
          </Section>
          <ChangePassword email={me.data.email} change={(body) => unwrap(api.PATCH("/api/v1/users/me/password", { body }))} />
        </>
      ) : null}
    </Page>
  );
}

function DetailsForm({ user }: { user: Profile }) {
  const t = useT();
  const queries = useQueryClient();
  const { data: account } = useQuery(accountQuery);
  const country = account?.country;
  const rules = useRules();
  const form = useForm({
    initialValues: { firstName: user.firstName, lastName: user.lastName, email: user.email, phone: user.phone ? formatPhone(user.phone) : "" },
    validate: {
      firstName: rules.required,
      lastName: rules.required,
      email: rules.email,
      phone: (v) => {
        if (!v.trim()) return null;
        const check = checkPhone(v, country);
        return check.ok ? null : t(`phone.${check.reason}`);
      },
    },
  });
  const save = useMutation({
    mutationFn: () => {
      const check = checkPhone(form.values.phone, country);
      return unwrap(api.PATCH("/api/v1/users/me", { body: { ...form.values, email: form.values.email.trim(), phone: check.ok ? check.international : null } }));
    },
    onSuccess: (changed) => {
      queries.setQueryData(meQuery.queryKey, changed);
      form.resetDirty();
      notify(t(changed.email === user.email ? "profile.saved" : "profile.emailChanged", { email: changed.email }));
    },
    onError: (error) => placeErrors(form, error),
  });
  return (
    <form noValidate onSubmit={form.onSubmit(() => save.mutate())}>
      <Stack>
        {user.isVerified ? null : <Unverified address={user.email} />}
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <TextInput label={t("field.firstName")} autoComplete="given-name" {...form.getInputProps("firstName")} />
          <TextInput label={t("field.lastName")} autoComplete="family-name" {...form.getInputProps("lastName")} />
        </SimpleGrid>
        <TextInput label={t("field.email")} description={t("profile.emailHint")} type="email" autoComplete="email" {...form.getInputProps("email")} />
        <PhoneField label={t("profile.phone")} country={country} {...form.getInputProps("phone")} />
        <Failure error={save.error} />
        <FormButtons action={t("action.save")} busy={save.isPending} disabled={!form.isDirty()} />
      </Stack>
    </form>
  );
}

function Unverified({ address }: { address: string }) {
  const t = useT();
  const resend = useMutation({ mutationFn: () => resendVerification(address), onSuccess: () => notify(t("auth.resent")) });
  return (
    <Alert role="note" color="orange">
      <Text size="sm">{t("profile.unverified")}</Text>
      <Button size="xs" variant="default" mt="xs" loading={resend.isPending} onClick={() => resend.mutate()}>
        {t("auth.resend")}
      </Button>
      <Failure error={resend.error} />
    </Alert>
  );
}

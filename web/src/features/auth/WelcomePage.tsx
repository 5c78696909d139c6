import { Button, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";

import { unwrap } from "../../api/client";
import { api } from "../../customer/api";
import { meQuery } from "../../customer/queries";
import { useT } from "../../i18n/I18n";
import { Failure } from "../../ui/Failure";
import { placeErrors, useRules } from "../../ui/fields";
import { AuthLayout } from "./AuthLayout";

/** WelcomePage asks for the name that a provider did not give. */
export function WelcomePage() {
  const t = useT();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const { data: me } = useSuspenseQuery(meQuery);
  const rules = useRules();
  const form = useForm({
    initialValues: { firstName: me.firstName, lastName: me.lastName },
    validate: { firstName: rules.required, lastName: rules.required },
  });
  const save = useMutation({
    mutationFn: () => unwrap(api.PATCH("/api/v1/users/me", { body: form.values })),
    onSuccess: (user) => {
      queries.setQueryData(meQuery.queryKey, user);
      return navigate({ to: "/", replace: true });
    },
    onError: (error) => placeErrors(form, error),
  });
  return (
    <AuthLayout title={t("auth.welcomeTitle")} text={t("auth.welcomeText")}>
      <form noValidate onSubmit={form.onSubmit(() => save.mutate())}>
        <Stack>
          <TextInput label={t("field.firstName")} autoComplete="given-name" autoFocus {...form.getInputProps("firstName")} />
          <TextInput label={t("field.lastName")} autoComplete="family-name" {...form.getInputProps("lastName")} />
          <Failure error={save.error} />
          <Button type="submit" loading={save.isPending}>
            {t("action.continue")}
          </Button>
        </Stack>
      </form>
    </AuthLayout>
  );
}

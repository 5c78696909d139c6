import { Button, Divider, Group, MultiSelect, SimpleGrid, Stack, Switch, TagsInput, Text, Textarea, TextInput } from "@mantine/core";
import "@mantine/core/styles/Switch.css";
import { useForm } from "@mantine/form";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";

import { unwrap } from "../../api/client";
import { api } from "../../customer/api";
import { accountQuery } from "../../customer/queries";
import { useFormat, useT } from "../../i18n/I18n";
import { Failure } from "../../ui/Failure";
import { isEmail, placeErrors } from "../../ui/fields";
import { FormButtons } from "../../ui/FormButtons";
import { IconTrash } from "../../ui/icons";
import { notify } from "../../ui/notify";
import { checkPhone, formatPhone } from "../phone/phone";
import { PhoneField } from "../phone/PhoneField";
import { useTrash } from "./bulk";
import { SHOWN } from "./Filters";
import { contactsChanged, listsQuery, tagsQuery, type Contact } from "./queries";

interface Props {
  contact?: Contact;
  onDone: () => void;
}

/** ContactForm takes everything there is to say about a contact. */
export function ContactForm({ contact, onDone }: Props) {
  const t = useT();
  const format = useFormat();
  const queries = useQueryClient();
  const { data: account } = useQuery(accountQuery);
  const lists = useQuery(listsQuery);
  const tags = useQuery(tagsQuery);
  const country = account?.country;
  const trash = useTrash(onDone);
  const form = useForm({
    initialValues: {
      phone: contact ? formatPhone(contact.phone) : "",
      firstName: contact?.firstName ?? "",
      lastName: contact?.lastName ?? "",
      email: contact?.email ?? "",
      tags: contact?.tags ?? [],
      notes: contact?.notes ?? "",
      listIds: contact?.listIds ?? [],
      isOptedOut: contact?.isOptedOut ?? false,
    },
    validate: {
      phone: (value) => {
        const check = checkPhone(value, country);
        return check.ok ? null : t(`phone.${check.reason}`);
      },
      email: (value) => (value.trim() && !isEmail(value) ? t("form.emailWrong") : null),
    },
  });
  const save = useMutation({
    mutationFn: () => {
      const { isOptedOut, ...values } = form.values;
      const check = checkPhone(values.phone, country);
      const body = { ...values, email: values.email.trim(), phone: check.ok ? check.international : values.phone };
      if (!contact) return unwrap(api.POST("/api/v1/contacts", { body }));
      return unwrap(api.PATCH("/api/v1/contacts/{id}", { params: { path: { id: contact.id } }, body: { ...body, isOptedOut } }));
    },
    onSuccess: async () => {
      notify(t(contact ? "contacts.saved" : "contacts.added"));
      onDone();
      await contactsChanged(queries);
    },
    onError: (error) => placeErrors(form, error),
  });
  return (
    <form noValidate onSubmit={form.onSubmit(() => save.mutate())}>
      <Stack>
        <PhoneField label={t("field.phone")} required country={country} data-autofocus {...form.getInputProps("phone")} />
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <TextInput label={t("field.firstName")} maxLength={100} autoComplete="off" {...form.getInputProps("firstName")} />
          <TextInput label={t("field.lastName")} maxLength={100} autoComplete="off" {...form.getInputProps("lastName")} />
        </SimpleGrid>
        <TextInput label={t("field.email")} type="email" maxLength={254} autoComplete="off" {...form.getInputProps("email")} />
        <TagsInput label={t("nav.tags")} description={t("contacts.tagsHint")} data={tags.data ?? []} limit={SHOWN} splitChars={[",", ";"]} maxTags={50} clearable {...form.getInputProps("tags")} />
        <MultiSelect label={t("nav.lists")} data={lists.data?.map((list) => ({ value: list.id, label: list.name })) ?? []} limit={SHOWN} searchable clearable {...form.getInputProps("listIds")} />
        <Textarea label={t("field.notes")} autosize minRows={2} maxRows={8} maxLength={2000} {...form.getInputProps("notes")} />
        {contact ? <Switch label={t("contacts.optOutLabel")} description={t("contacts.optOutHint")} {...form.getInputProps("isOptedOut", { type: "checkbox" })} /> : null}
        <Failure error={save.error} />
        <FormButtons action={t("action.save")} busy={save.isPending} onCancel={onDone} />
        {contact ? (
          <>
            <Divider />
            <Group justify="space-between">
              <Text size="xs" c="dimmed">
                {t("contacts.createdOn", { date: format.moment(contact.createdAt) })}
              </Text>
              <Button variant="subtle" color="red.9" c="var(--mantine-color-error)" size="compact-sm" leftSection={<IconTrash size={16} aria-hidden />} loading={trash.isPending} onClick={() => trash.mutate([contact])}>
                {t("contacts.toTrash")}
              </Button>
            </Group>
          </>
        ) : null}
      </Stack>
    </form>
  );
}

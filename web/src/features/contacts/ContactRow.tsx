import { Badge, Group, Text, UnstyledButton } from "@mantine/core";

import { useFormat, useT } from "../../i18n/I18n";
import { formatPhone } from "../phone/phone";
import { networkOf } from "../phone/registry";
import classes from "./ContactTable.module.css";
import type { Column } from "./columns";
import { fullName, type Contact } from "./queries";

interface RowProps {
  contact: Contact;
  onOpen: (contact: Contact) => void;
}

/** ContactCells are the cells of one row, after its checkbox. */
export function ContactCells({ contact, columns, listNames, onOpen }: RowProps & { columns: Column[]; listNames: Map<string, string> }) {
  return (
    <>
      <div role="cell">
        <Name contact={contact} onOpen={onOpen} />
      </div>
      {columns.map((column) => (
        <div role="cell" key={column} className={classes.clip}>
          <Cell column={column} contact={contact} listNames={listNames} />
        </div>
      ))}
    </>
  );
}

/** ContactCard is one row on a narrow screen. */
export function ContactCard({ contact, onOpen }: RowProps) {
  return (
    <div role="cell">
      <Name contact={contact} onOpen={onOpen} />
      <Group gap={6} wrap="nowrap">
        <Text size="sm" c="dimmed" className={classes.number}>
          {formatPhone(contact.phone)}
        </Text>
        <Status contact={contact} />
      </Group>
      <Group gap={6} wrap="nowrap" h={22} style={{ overflow: "hidden" }}>
        <Text size="xs" c="dimmed" truncate flex="0 1 auto" miw={72}>
          <Operator phone={contact.phone} />
        </Text>
        <Tags tags={contact.tags} />
      </Group>
    </div>
  );
}

function Name({ contact, onOpen }: RowProps) {
  const t = useT();
  return (
    <UnstyledButton className={classes.name} onClick={() => onOpen(contact)}>
      {fullName(contact) || t("contacts.unnamed")}
    </UnstyledButton>
  );
}

function Cell({ column, contact, listNames }: { column: Column; contact: Contact; listNames: Map<string, string> }) {
  const format = useFormat();
  switch (column) {
    case "phone":
      return <span className={classes.number}>{formatPhone(contact.phone)}</span>;
    case "operator":
      return <Operator phone={contact.phone} />;
    case "email":
      return contact.email;
    case "tags":
      return <Tags tags={contact.tags} />;
    case "lists":
      return contact.listIds.map((id) => listNames.get(id)).filter(Boolean).join(", ");
    case "status":
      return <Status contact={contact} />;
    case "created":
      return format.date(contact.createdAt);
  }
}

function Operator({ phone }: { phone: string }) {
  const t = useT();
  const format = useFormat();
  const network = networkOf(phone);
  return network ? `${network.operator}, ${format.country(network.country)}` : t("contacts.unknownNetwork");
}

function Tags({ tags }: { tags: string[] }) {
  return (
    <span className={classes.badges}>
      {tags.slice(0, 3).map((tag) => (
        <Badge key={tag} variant="default" size="sm" tt="none" fw={500}>
          {tag}
        </Badge>
      ))}
      {tags.length > 3 ? <Text size="xs" c="dimmed" span className={classes.more}>{`+${tags.length - 3}`}</Text> : null}
    </span>
  );
}

function Status({ contact }: { contact: Contact }) {
  const t = useT();
  if (contact.isOptedOut) return <Badge color="orange.9" variant="outline" size="sm" tt="none">{t("contacts.optedOut")}</Badge>;
  if (!networkOf(contact.phone)) return <Badge color="gray" variant="outline" size="sm" tt="none" c="dimmed">{t("contacts.invalid")}</Badge>;
  return <Badge color="lagoon" variant="outline" size="sm" tt="none">{t("contacts.valid")}</Badge>;
}

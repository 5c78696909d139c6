import { Drawer } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { useT } from "../../i18n/I18n";
import { Failure } from "../../ui/Failure";
import { RowsSkeleton } from "../../ui/RouteStates";
import { ContactForm } from "./ContactForm";
import { contactQuery, fullName } from "./queries";

interface Props {
  /** Id of a contact, "new", or nothing. */
  open: string | undefined;
  onClose: () => void;
}

/** ContactDrawer creates a contact or changes one, beside the table. */
export function ContactDrawer({ open, onClose }: Props) {
  const t = useT();
  const existing = open !== undefined && open !== "new" ? open : undefined;
  const contact = useQuery({ ...contactQuery(existing ?? ""), enabled: existing !== undefined, staleTime: 0 });
  const title = existing ? (contact.data && fullName(contact.data)) || t("contacts.edit") : t("contacts.add");
  return (
    <Drawer opened={open !== undefined} onClose={onClose} position="right" size="md" title={title} closeButtonProps={{ "aria-label": t("action.close") }} keepMounted={false}>
      {existing ? (
        <>
          <Failure error={contact.error} />
          {contact.isPending ? <RowsSkeleton rows={5} height={56} /> : null}
          {contact.data ? <ContactForm key={existing} contact={contact.data} onDone={onClose} /> : null}
        </>
      ) : (
        <ContactForm key="new" onDone={onClose} />
      )}
    </Drawer>
  );
}

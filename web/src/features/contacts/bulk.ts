import { useMutation, useQueryClient } from "@tanstack/react-query";

import { unwrap } from "../../api/client";
import { api } from "../../customer/api";
import { useT } from "../../i18n/I18n";
import { notify, notifyFailure, notifyWithUndo } from "../../ui/notify";
import { sentence } from "../../ui/sentence";
import { contactsChanged, type Contact } from "./queries";

const idsOf = (contacts: Contact[]) => contacts.map((contact) => contact.id);

/** useTrash puts contacts into the trash and offers to bring them back. */
export function useTrash(after?: () => void) {
  const t = useT();
  const queries = useQueryClient();
  const failed = (error: unknown) => notifyFailure(sentence(t, error));
  const restore = useMutation({
    mutationFn: (ids: string[]) => unwrap(api.POST("/api/v1/contacts/trash/restore", { body: { ids } })),
    onSuccess: () => contactsChanged(queries),
    onError: failed,
  });
  return useMutation({
    mutationFn: (contacts: Contact[]) => unwrap(api.POST("/api/v1/contacts/bulk-delete", { body: { ids: idsOf(contacts) } })),
    onSuccess: async ({ deleted }, contacts) => {
      after?.();
      notifyWithUndo(t.count("contacts.trashed", deleted), t("action.undo"), () => restore.mutate(idsOf(contacts)));
      await contactsChanged(queries);
    },
    onError: failed,
  });
}

interface Target {
  id: string;
  name: string;
}

/**
 * useAddToList puts contacts into a list. Only those who are not in it are sent,
 * so that the undo takes out nobody who was there before.
 */
export function useAddToList(after?: () => void) {
  const t = useT();
  const queries = useQueryClient();
  const failed = (error: unknown) => notifyFailure(sentence(t, error));
  const remove = useMutation({
    mutationFn: ({ list, contactIds }: { list: Target; contactIds: string[] }) =>
      unwrap(api.DELETE("/api/v1/contact-lists/{id}/contacts", { params: { path: { id: list.id } }, body: { contactIds } })),
    onSuccess: () => contactsChanged(queries),
    onError: failed,
  });
  return useMutation({
    mutationFn: async ({ list, contacts }: { list: Target; contacts: Contact[] }) => {
      const contactIds = idsOf(contacts.filter((contact) => !contact.listIds.includes(list.id)));
      if (contactIds.length === 0) return { added: 0, contactIds };
      const { added } = await unwrap(api.POST("/api/v1/contact-lists/{id}/contacts", { params: { path: { id: list.id } }, body: { contactIds } }));
      return { added, contactIds };
    },
    onSuccess: async ({ added, contactIds }, { list }) => {
      after?.();
      if (added === 0) return notify(t("contacts.inListAlready", { name: list.name }));
      notifyWithUndo(t.count("contacts.addedToList", added, { name: list.name }), t("action.undo"), () => remove.mutate({ list, contactIds }));
      await contactsChanged(queries);
    },
    onError: failed,
  });
}

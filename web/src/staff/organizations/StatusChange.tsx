import { useMutation, useQueryClient } from "@tanstack/react-query";

import { unwrap } from "../../api/client";
import { useT } from "../../i18n/I18n";
import { Confirm } from "../../ui/Confirm";
import { notify } from "../../ui/notify";
import { api } from "../api";
import type { Organization } from "../queries";

interface Props {
  /** The organization in question, or null while none is. */
  organization: Organization | null;
  onClose: () => void;
}

/** StatusChange asks before it suspends an organization or lets it work again. */
export function StatusChange({ organization, onClose }: Props) {
  const t = useT();
  const queries = useQueryClient();
  const change = useMutation({
    mutationFn: ({ id, status }: Pick<Organization, "id" | "status">) =>
      unwrap(api.PATCH("/api/v1/admin/accounts/{id}/status", { params: { path: { id } }, body: { status } })),
    onSuccess: async ({ name, status }) => {
      onClose();
      notify(t(status === "suspended" ? "staff.suspended" : "staff.reactivated", { name }));
      await queries.invalidateQueries({ queryKey: ["organizations"] });
    },
  });
  const suspends = organization?.status !== "suspended";
  const name = organization?.name ?? "";
  return (
    <Confirm
      opened={organization !== null}
      title={t(suspends ? "staff.suspendTitle" : "staff.reactivateTitle")}
      text={t(suspends ? "staff.suspendText" : "staff.reactivateText", { name })}
      action={t(suspends ? "staff.suspend" : "staff.reactivate")}
      danger={suspends}
      busy={change.isPending}
      error={change.error}
      onConfirm={() => organization && change.mutate({ id: organization.id, status: suspends ? "suspended" : "active" })}
      onClose={() => {
        change.reset();
        onClose();
      }}
    />
  );
}

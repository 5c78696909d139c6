import { Problem } from "../api/problem";
import type { MessageKey } from "../i18n/catalogue";
import { useT } from "../i18n/I18n";
import { Empty } from "../ui/Empty";
import { Failure } from "../ui/Failure";
import { IconShieldLock } from "../ui/icons";
import { Page } from "../ui/Page";

interface Props {
  /** Heading of the page that can't be shown. */
  title: string;
  error: unknown;
  retry: () => void;
}

/** Why someone may not see a page, by the code of the server's refusal. */
const reasons: Record<string, { title: MessageKey; text: MessageKey }> = {
  role_required: { title: "staff.ownersOnly", text: "staff.ownersOnlyText" },
  permission_required: { title: "staff.noPermission", text: "staff.noPermissionText" },
};

/** isRefusal tells whether the server keeps a page from this member. */
export function isRefusal(error: unknown): boolean {
  return error instanceof Problem && error.code in reasons;
}

/**
 * Refused stands for a page that the server did not give: kindly where it is not
 * for this member, else with what went wrong.
 */
export function Refused({ title, error, retry }: Props) {
  const t = useT();
  const reason = error instanceof Problem ? reasons[error.code] : undefined;
  return (
    <Page title={title}>
      {reason ? (
        <div className="panel">
          <Empty icon={IconShieldLock} title={t(reason.title)} text={t(reason.text)} />
        </div>
      ) : (
        <Failure error={error} retry={retry} />
      )}
    </Page>
  );
}

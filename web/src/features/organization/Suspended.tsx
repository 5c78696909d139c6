import { useT } from "../../i18n/I18n";
import { Empty } from "../../ui/Empty";
import { IconAlertTriangle } from "../../ui/icons";
import { useTitle } from "../../ui/Page";

/** Suspended stands for every page of an organization that may not work just now. */
export function Suspended() {
  const t = useT();
  useTitle(t("organization.suspended"));
  return <Empty icon={IconAlertTriangle} title={t("organization.suspendedTitle")} text={t("organization.suspendedText")} />;
}

import { Button, Group } from "@mantine/core";

import { useT } from "../i18n/I18n";

interface Props {
  /** What sending the form does. */
  action: string;
  busy: boolean;
  disabled?: boolean;
  /** Absent where there is nothing to go back to. */
  onCancel?: () => void;
}

/** FormButtons end a form. */
export function FormButtons({ action, busy, disabled = false, onCancel }: Props) {
  const t = useT();
  return (
    <Group justify="flex-end">
      {onCancel ? (
        <Button variant="default" onClick={onCancel}>
          {t("action.cancel")}
        </Button>
      ) : null}
      <Button type="submit" loading={busy} disabled={disabled}>
        {action}
      </Button>
    </Group>
  );
}

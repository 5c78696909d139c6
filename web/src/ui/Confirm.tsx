import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";

import { useT } from "../i18n/I18n";
import { Failure } from "./Failure";

interface Props {
  opened: boolean;
  title: string;
  text: ReactNode;
  action: string;
  danger?: boolean;
  busy?: boolean;
  error?: unknown;
  onConfirm: () => void;
  onClose: () => void;
}

/** Confirm asks before something that can't be taken back. */
export function Confirm({ opened, title, text, action, danger = false, busy = false, error, onConfirm, onClose }: Props) {
  const t = useT();
  return (
    <Modal opened={opened} onClose={onClose} title={title} centered closeButtonProps={{ "aria-label": t("action.close") }}>
      <Stack>
        <Text component="div" size="sm">{text}</Text>
        <Failure error={error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>
            {t("action.cancel")}
          </Button>
          <Button color={danger ? "red.9" : undefined} loading={busy} onClick={onConfirm}>
            {action}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

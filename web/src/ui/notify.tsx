import { Button, Group, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";

/** notify tells that something was done. */
export function notify(message: string): void {
  notifications.show({ message, autoClose: 5000, withBorder: true });
}

/** notifyFailure tells that something was not done, and why. */
export function notifyFailure(message: string): void {
  notifications.show({ message, color: "red", autoClose: 10_000, withBorder: true, role: "alert" });
}

/** notifyWithUndo tells that something was done and offers to take it back. */
export function notifyWithUndo(message: string, undoLabel: string, undo: () => void): void {
  const id = notifications.show({
    autoClose: 10_000,
    withBorder: true,
    message: (
      <Group justify="space-between" gap="sm" wrap="nowrap">
        <Text size="sm">{message}</Text>
        <Button
          flex="none"
          size="compact-sm"
          variant="light"
          onClick={() => {
            notifications.hide(id);
            undo();
          }}
        >
          {undoLabel}
        </Button>
      </Group>
    ),
  });
}

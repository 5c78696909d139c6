import { Alert, Button, Text } from "@mantine/core";

import { Problem } from "../api/problem";
import { useT } from "../i18n/I18n";
import { IconAlertTriangle } from "./icons";
import { sentence } from "./sentence";

interface Props {
  error: unknown;
  retry?: (() => void) | undefined;
  title?: string;
}

/** Failure says what went wrong and, where it helps, offers another try. */
export function Failure({ error, retry, title }: Props) {
  const t = useT();
  if (!error) return null;
  const requestId = error instanceof Problem && error.status >= 500 ? error.requestId : undefined;
  return (
    <Alert role="alert" color="red" variant="light" icon={<IconAlertTriangle aria-hidden />} title={title}>
      <Text size="sm" c="var(--mantine-color-text)">{sentence(t, error)}</Text>
      {requestId ? (
        <Text size="xs" c="dimmed" mt={4}>
          {t("error.requestId", { id: requestId })}
        </Text>
      ) : null}
      {retry ? (
        <Button size="xs" variant="default" mt="sm" onClick={retry}>
          {t("action.retry")}
        </Button>
      ) : null}
    </Alert>
  );
}

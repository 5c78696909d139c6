import { Group, Stack, Text, Title } from "@mantine/core";
import { useEffect, type ReactNode } from "react";

interface Props {
  title: string;
  description?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
  maw?: number;
}

/** Page is one screen: its heading, what can be done on it, and its content. */
export function Page({ title, description, actions, children, maw }: Props) {
  useTitle(title);
  return (
    <Stack gap="lg" maw={maw}>
      <Group justify="space-between" align="flex-start" gap="sm">
        <div>
          <Title order={1} size="h2">
            {title}
          </Title>
          {description ? (
            <Text c="dimmed" mt={2} component="div">
              {description}
            </Text>
          ) : null}
        </div>
        {actions ? <Group gap="xs">{actions}</Group> : null}
      </Group>
      {children}
    </Stack>
  );
}

/** useTitle names the browser's tab after the screen. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Ujumbe`;
  }, [title]);
}

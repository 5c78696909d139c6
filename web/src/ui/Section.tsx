import { Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";

interface Props {
  title: string;
  text?: ReactNode;
  children: ReactNode;
}

/** Section is one concern of a page, on a panel of its own. */
export function Section({ title, text, children }: Props) {
  return (
    <Stack component="section" className="panel" gap="md" p={{ base: "md", sm: "lg" }}>
      <div>
        <Title order={2} size="h4">
          {title}
        </Title>
        {text ? (
          <Text size="sm" c="dimmed" mt={4} component="div">
            {text}
          </Text>
        ) : null}
      </div>
      {children}
    </Stack>
  );
}

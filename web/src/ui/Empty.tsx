import { Stack, Text, ThemeIcon, Title } from "@mantine/core";
import type { ComponentType, ReactNode } from "react";

interface Props {
  icon: ComponentType<{ size?: number; "aria-hidden"?: boolean }>;
  title: string;
  text: string;
  children?: ReactNode;
}

/** Empty stands where nothing is yet, and says what to do first. */
export function Empty({ icon: Icon, title, text, children }: Props) {
  return (
    <Stack align="center" gap="sm" py={48} px="md" ta="center">
      <ThemeIcon size={56} radius="xl" variant="light">
        <Icon size={28} aria-hidden />
      </ThemeIcon>
      <Title order={2} size="h4">
        {title}
      </Title>
      <Text c="dimmed" maw={420}>
        {text}
      </Text>
      {children}
    </Stack>
  );
}

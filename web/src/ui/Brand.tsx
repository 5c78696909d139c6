import { Group, Text } from "@mantine/core";

/** Mark is the product's sign: a letter U that is also a speech bubble. */
export function Mark({ size = 32 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden focusable="false">
      <rect width="32" height="32" rx="8" fill="#0b5a53" />
      <path d="M8 8v8.5a8 8 0 0 0 8 8c1.400 0 2.700-.3 3.900-.9l4.600 1.400-1.100-4.300A8 8 0 0 0 24 16.500V8h-4.200v8.500a3.800 3.800 0 1 1-7.600 0V8z" fill="#fff" />
      <circle cx="16" cy="10" r="2.200" fill="#f4b740" />
    </svg>
  );
}

/** Brand is the mark and the name. */
export function Brand({ suffix }: { suffix?: string }) {
  return (
    <Group gap="xs" wrap="nowrap">
      <Mark />
      <Text fw={700} size="lg" span>
        Ujumbe{suffix ? <Text span fw={500} c="dimmed" inherit>{` ${suffix}`}</Text> : null}
      </Text>
    </Group>
  );
}

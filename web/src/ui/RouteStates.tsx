import { Anchor, Skeleton, Stack, Text, Title } from "@mantine/core";
import { useRouter, type ErrorComponentProps } from "@tanstack/react-router";

import { useT } from "../i18n/I18n";
import { Mark } from "./Brand";
import { Failure } from "./Failure";

/** PageSkeleton holds the place of a page that is on its way. */
export function PageSkeleton() {
  const t = useT();
  return (
    <Stack gap="lg" p="md" role="status" aria-label={t("shell.loading")}>
      <Skeleton h={34} w="min(260px, 60%)" />
      <Skeleton h={120} />
      <Skeleton h={240} />
    </Stack>
  );
}

/** RowsSkeleton holds the place of a list that is on its way. */
export function RowsSkeleton({ rows, height }: { rows: number; height: number }) {
  const t = useT();
  return (
    <Stack gap="xs" role="status" aria-label={t("shell.loading")}>
      {Array.from({ length: rows }, (_, i) => (
        <Skeleton key={i} h={height} radius="md" />
      ))}
    </Stack>
  );
}

/** PageFailure stands for a page that could not be shown. */
export function PageFailure({ error }: ErrorComponentProps) {
  const router = useRouter();
  return (
    <Stack p="md" maw={560} mx="auto" mt="xl">
      <Failure error={error} retry={() => void router.invalidate()} />
    </Stack>
  );
}

/** NotFound stands for an address without a page. */
export function NotFound() {
  const t = useT();
  const router = useRouter();
  return (
    <Stack component="main" align="center" py={80} px="md" ta="center">
      <Mark size={56} />
      <Title order={1} size="h3">
        {t("shell.notFound")}
      </Title>
      <Text c="dimmed">{t("shell.notFoundText")}</Text>
      <Anchor href={router.basepath || "/"}>{t("shell.toStart")}</Anchor>
    </Stack>
  );
}

/** What both routers do while a page is on its way, and when none comes. */
export const routeStates = {
  defaultPreload: "intent",
  defaultPendingComponent: PageSkeleton,
  defaultErrorComponent: PageFailure,
  defaultNotFoundComponent: NotFound,
  scrollRestoration: true,
} as const;

import { Group, SimpleGrid, Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";

import { meQuery } from "../../customer/queries";
import type { MessageKey } from "../../i18n/catalogue";
import { useFormat, useT } from "../../i18n/I18n";
import { Empty } from "../../ui/Empty";
import { Failure } from "../../ui/Failure";
import { IconAddressBook, IconFileImport } from "../../ui/icons";
import { Page } from "../../ui/Page";
import { statsQuery } from "../contacts/queries";
import classes from "./Dashboard.module.css";
import { ButtonLink } from "../../ui/links";

const Charts = lazy(() => import("./Charts"));

/** DashboardPage shows how the contacts stand and grow. */
export function DashboardPage() {
  const t = useT();
  const { data: me } = useQuery(meQuery);
  const stats = useQuery(statsQuery);
  return (
    <Page title={t("dashboard.title", { name: me?.firstName ?? "" })} description={t("dashboard.text")}>
      <Failure error={stats.error} retry={() => void stats.refetch()} />
      {stats.data?.total === 0 ? <FirstSteps /> : null}
      {stats.data?.total !== 0 && !stats.error ? (
        <>
          <SimpleGrid cols={{ base: 2, md: 4 }}>
            <Figure label="dashboard.total" value={stats.data?.total} />
            <Figure label="dashboard.valid" value={stats.data?.valid} of={stats.data?.total} />
            <Figure label="dashboard.invalid" value={stats.data?.invalid} of={stats.data?.total} />
            <Figure label="dashboard.optedOut" value={stats.data?.optedOut} of={stats.data?.total} />
          </SimpleGrid>
          <Suspense fallback={<ChartSkeletons />}>{stats.data ? <Charts stats={stats.data} /> : <ChartSkeletons />}</Suspense>
        </>
      ) : null}
    </Page>
  );
}

function Figure({ label, value, of }: { label: MessageKey; value: number | undefined; of?: number | undefined }) {
  const t = useT();
  const format = useFormat();
  return (
    <div className={`panel ${classes.figure}`}>
      <Text size="sm" c="dimmed">
        {t(label)}
      </Text>
      {value === undefined ? (
        <Skeleton h={34} w={90} mt={4} />
      ) : (
        <Text className={classes.number}>
          {format.number(value)}{" "}
          {of ? (
            <Text span size="sm" c="dimmed" className={classes.share}>
              {format.percent(value / of)}
            </Text>
          ) : null}
        </Text>
      )}
    </div>
  );
}

function ChartSkeletons() {
  return (
    <>
      <Skeleton h={320} radius="lg" />
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Skeleton h={320} radius="lg" />
        <Skeleton h={320} radius="lg" />
      </SimpleGrid>
    </>
  );
}

function FirstSteps() {
  const t = useT();
  return (
    <div className="panel">
      <Empty icon={IconAddressBook} title={t("dashboard.empty")} text={t("dashboard.emptyText")}>
        <Group justify="center">
          <ButtonLink to="/import" leftSection={<IconFileImport size={16} aria-hidden />}>
            {t("nav.import")}
          </ButtonLink>
          <ButtonLink to="/contacts" search={{ open: "new" }} variant="default">
            {t("contacts.add")}
          </ButtonLink>
        </Group>
      </Empty>
    </div>
  );
}

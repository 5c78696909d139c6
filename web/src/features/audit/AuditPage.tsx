import { Badge, Table, Text } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";

import { unwrap } from "../../api/client";
import type { components } from "../../api/schema";
import { api } from "../../customer/api";
import { useFormat, useT } from "../../i18n/I18n";
import { Empty } from "../../ui/Empty";
import { Failure } from "../../ui/Failure";
import { IconClipboardList } from "../../ui/icons";
import { Page } from "../../ui/Page";
import { Pager } from "../../ui/Pager";
import { RowsSkeleton } from "../../ui/RouteStates";
import classes from "./AuditPage.module.css";

const route = getRouteApi("/signed-in/shell/audit");
const PAGE_SIZE = 50;

type Entry = components["schemas"]["Entry"];

/** AuditPage shows who did what in the organization, and when. */
export function AuditPage() {
  const t = useT();
  const { page = 1 } = route.useSearch();
  const navigate = route.useNavigate();
  const trail = useQuery({
    queryKey: ["audit", page],
    queryFn: () => unwrap(api.GET("/api/v1/accounts/me/audit", { params: { query: { page, pageSize: PAGE_SIZE } } })),
    placeholderData: keepPreviousData,
  });
  return (
    <Page title={t("nav.audit")} description={t("audit.text")}>
      <Failure error={trail.error} retry={() => void trail.refetch()} />
      {trail.isPending ? <RowsSkeleton rows={8} height={48} /> : null}
      {trail.data?.total === 0 ? (
        <div className="panel">
          <Empty icon={IconClipboardList} title={t("audit.none")} text={t("audit.noneText")} />
        </div>
      ) : null}
      {trail.data?.entries.length ? (
        <div className="panel">
          <Table verticalSpacing="xs" horizontalSpacing="sm">
            <Table.Thead>
              <Table.Tr>
                <Table.Th visibleFrom="sm">{t("audit.when")}</Table.Th>
                <Table.Th visibleFrom="sm">{t("audit.who")}</Table.Th>
                <Table.Th>{t("audit.what")}</Table.Th>
                <Table.Th visibleFrom="sm">{t("audit.from")}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {trail.data.entries.map((entry) => (
                <Row key={entry.id} entry={entry} />
              ))}
            </Table.Tbody>
          </Table>
        </div>
      ) : null}
      <Pager page={page} pageSize={PAGE_SIZE} total={trail.data?.total ?? 0} onChange={(next) => void navigate({ search: { page: next > 1 ? next : undefined } })} />
    </Page>
  );
}

function Row({ entry }: { entry: Entry }) {
  const t = useT();
  const format = useFormat();
  const who = (
    <>
      {entry.actor}
      {entry.actorKind === "user" ? null : (
        <Badge size="xs" variant="default" ml={6} tt="none">
          {t.maybe(`audit.kind.${entry.actorKind}`) ?? entry.actorKind}
        </Badge>
      )}
    </>
  );
  return (
    <Table.Tr>
      <Table.Td visibleFrom="sm" className={classes.when}>
        {format.moment(entry.at)}
      </Table.Td>
      <Table.Td visibleFrom="sm" className={classes.text}>
        {who}
      </Table.Td>
      <Table.Td className={classes.text}>
        {t.maybe(`audit.${entry.action}`) ?? entry.action}
        {entry.target ? (
          <Text size="xs" c="dimmed">
            {entry.target}
          </Text>
        ) : null}
        <Text size="xs" c="dimmed" hiddenFrom="sm" component="div">
          {who} · {format.moment(entry.at)}
        </Text>
      </Table.Td>
      <Table.Td visibleFrom="sm">
        <Text size="sm" title={entry.userAgent}>
          {entry.ip}
        </Text>
      </Table.Td>
    </Table.Tr>
  );
}

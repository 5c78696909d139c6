import { Menu, Text } from "@mantine/core";
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useEffect, useState } from "react";

import { useFormat, useT } from "../../i18n/I18n";
import { Empty } from "../../ui/Empty";
import { Failure } from "../../ui/Failure";
import { IconBuilding, IconSearch } from "../../ui/icons";
import { AnchorLink } from "../../ui/links";
import { MoreMenu } from "../../ui/MoreMenu";
import { Page } from "../../ui/Page";
import { Pager } from "../../ui/Pager";
import { RowsSkeleton } from "../../ui/RouteStates";
import { SearchField } from "../../ui/SearchField";
import { includes } from "../permissions";
import { myPermissionsQuery, organizationsQuery, PAGE_SIZE, type Organization } from "../queries";
import { isRefusal, Refused } from "../Refused";
import { Row, Rows, State } from "../Rows";
import { StatusChange } from "./StatusChange";

const route = getRouteApi("/shell/organizations");

/** OrganizationsPage finds customers by name. */
export function OrganizationsPage() {
  const t = useT();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const found = useQuery(organizationsQuery(search));
  const { data: mine } = useSuspenseQuery(myPermissionsQuery);
  const [changing, setChanging] = useState<Organization | null>(null);
  const { q, page = 1 } = search;
  const total = found.data?.total;
  const last = Math.max(1, Math.ceil((total ?? 0) / PAGE_SIZE));

  // An address may name a page that is no more.
  const beyond = found.isSuccess && !found.isPlaceholderData && page > last;
  useEffect(() => {
    if (beyond) void navigate({ search: { q, page: last > 1 ? last : undefined }, replace: true });
  }, [beyond, last, navigate, q]);

  if (isRefusal(found.error)) return <Refused title={t("staff.organizations")} error={found.error} retry={() => void found.refetch()} />;
  return (
    <Page title={t("staff.organizations")} description={<span aria-live="polite">{total === undefined ? "\u00a0" : t.count(q ? "staff.found" : "staff.total", total)}</span>}>
      <SearchField label={t("staff.searchOrganizations")} value={q ?? ""} onChange={(text) => void navigate({ search: { q: text }, replace: true })} />
      <Failure error={found.error} retry={() => void found.refetch()} />
      {found.isPending ? <RowsSkeleton rows={5} height={72} /> : null}
      {total === 0 ? (
        <div className="panel">
          <Empty icon={q ? IconSearch : IconBuilding} title={t(q ? "staff.noneFound" : "staff.noOrganizations")} text={t(q ? "staff.noneFoundText" : "staff.noOrganizationsText")} />
        </div>
      ) : null}
      {total ? (
        <Rows busy={found.isPlaceholderData}>
          {found.data?.accounts.map((organization) => (
            <OrganizationRow key={organization.id} organization={organization} onChange={includes(mine.crm, "admin") ? () => setChanging(organization) : undefined} />
          ))}
        </Rows>
      ) : null}
      <Pager page={page} pageSize={PAGE_SIZE} total={total ?? 0} onChange={(next) => void navigate({ search: { q, page: next > 1 ? next : undefined } })} />
      <StatusChange organization={changing} onClose={() => setChanging(null)} />
    </Page>
  );
}

interface RowProps {
  organization: Organization;
  /** Absent for those who may only look. */
  onChange: (() => void) | undefined;
}

function OrganizationRow({ organization, onChange }: RowProps) {
  const t = useT();
  const format = useFormat();
  const { id, name, country, status, createdAt, userCount, contactCount } = organization;
  const active = status === "active";
  return (
    <Row
      name={
        <AnchorLink to="/organizations/$id" params={{ id }} fw={600}>
          {name}
        </AnchorLink>
      }
      below={
        <Text size="sm" c="dimmed">
          {[country && format.country(country), t("staff.since", { date: format.date(createdAt) })].filter(Boolean).join(" · ")}
        </Text>
      }
      facts={
        <>
          <span>{t.count("staff.people", userCount)}</span>
          <span>{t.count("staff.contacts", contactCount)}</span>
          <State on={active}>{t(active ? "staff.status.active" : "staff.status.suspended")}</State>
        </>
      }
      actions={
        onChange ? (
          <MoreMenu name={name}>
            <Menu.Item onClick={onChange}>{t(active ? "staff.suspend" : "staff.reactivate")}</Menu.Item>
          </MoreMenu>
        ) : null
      }
    />
  );
}

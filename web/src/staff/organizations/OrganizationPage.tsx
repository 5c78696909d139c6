import { Alert, Button, Text } from "@mantine/core";
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";

import { useFormat, useT } from "../../i18n/I18n";
import { AnchorLink } from "../../ui/links";
import { Page } from "../../ui/Page";
import { PageSkeleton } from "../../ui/RouteStates";
import { includes } from "../permissions";
import { myPermissionsQuery, organizationQuery, type Organization } from "../queries";
import { Refused } from "../Refused";
import { State } from "../Rows";
import classes from "./OrganizationPage.module.css";
import { StatusChange } from "./StatusChange";

const route = getRouteApi("/shell/organizations/$id");

/** OrganizationPage shows one customer, and lets those who may suspend it. */
export function OrganizationPage() {
  const t = useT();
  const { id } = route.useParams();
  const found = useQuery(organizationQuery(id));
  const { data: mine } = useSuspenseQuery(myPermissionsQuery);
  const [changing, setChanging] = useState<Organization | null>(null);
  if (found.error) return <Refused title={t("staff.organizations")} error={found.error} retry={() => void found.refetch()} />;
  if (!found.data) return <PageSkeleton />;
  const organization = found.data;
  const suspended = organization.status === "suspended";
  return (
    <Page
      title={organization.name}
      maw={820}
      description={
        <AnchorLink to="/organizations" size="sm">
          {t("staff.allOrganizations")}
        </AnchorLink>
      }
      actions={
        includes(mine.crm, "admin") ? (
          <Button color={suspended ? undefined : "red.9"} onClick={() => setChanging(organization)}>
            {t(suspended ? "staff.reactivate" : "staff.suspend")}
          </Button>
        ) : null
      }
    >
      {suspended ? (
        <Alert role="note" color="yellow" variant="light">
          <Text size="sm" c="var(--mantine-color-text)">
            {t("staff.isSuspended")}
          </Text>
        </Alert>
      ) : null}
      <Facts organization={organization} />
      {includes(mine.crm, "admin") ? null : (
        <Text size="sm" c="dimmed">
          {t("staff.lookOnly")}
        </Text>
      )}
      <StatusChange organization={changing} onClose={() => setChanging(null)} />
    </Page>
  );
}

function Facts({ organization: { id, status, country, userCount, contactCount, createdAt } }: { organization: Organization }) {
  const t = useT();
  const format = useFormat();
  const active = status === "active";
  return (
    <div className="panel" style={{ padding: "var(--mantine-spacing-lg)" }}>
      <dl className={classes.facts}>
        <Fact name={t("staff.status")}>
          <State on={active}>{t(active ? "staff.status.active" : "staff.status.suspended")}</State>
        </Fact>
        <Fact name={t("staff.country")}>{country ? format.country(country) : t("staff.notSet")}</Fact>
        <Fact name={t("staff.activePeople")}>{format.number(userCount)}</Fact>
        <Fact name={t("staff.contactsHeld")}>{format.number(contactCount)}</Fact>
        <Fact name={t("staff.registered")}>{format.moment(createdAt)}</Fact>
        <Fact name={t("staff.id")}>
          <Text span ff="monospace" size="sm">
            {id}
          </Text>
        </Fact>
      </dl>
    </div>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

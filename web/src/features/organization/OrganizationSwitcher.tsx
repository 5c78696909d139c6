import { Badge, Button, Group, Menu, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useMutation, useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";

import { unwrap } from "../../api/client";
import { api, lastingly, session } from "../../customer/api";
import { accountsQuery } from "../../customer/queries";
import { useT } from "../../i18n/I18n";
import { IconCheck, IconPlus, IconSelector } from "../../ui/icons";
import { notify, notifyFailure } from "../../ui/notify";
import { sentence } from "../../ui/sentence";

// Few ever open another organization; the others need not load the form.
const CreateOrganization = lazy(() => import("./CreateOrganization"));

/** OrganizationSwitcher shows where one works and leads to the other places. It is always in sight. */
export function OrganizationSwitcher() {
  const t = useT();
  const [creating, { open, close }] = useDisclosure();
  const accounts = useQuery(accountsQuery);
  const current = accounts.data?.find((entry) => entry.isCurrent);
  const move = useMutation({
    mutationFn: (to: { accountId: string; accountName: string }) =>
      session.replace((spends) => unwrap(api.POST("/api/v1/accounts/switch", { body: { accountId: to.accountId }, fetch: lastingly(spends) }))),
    onSuccess: (_, to) => notify(t("organization.switched", { name: to.accountName })),
    onError: (error) => notifyFailure(sentence(t, error)),
  });
  return (
    <>
      <Menu position="bottom-start" width={280} withinPortal>
        <Menu.Target>
          <Button
            variant="default"
            size="sm"
            loading={move.isPending}
            rightSection={<IconSelector size={16} aria-hidden />}
            aria-label={t("organization.switcher", { name: current?.accountName ?? "" })}
            maw="min(260px, 46vw)"
          >
            <Text span inherit truncate>
              {current?.accountName ?? "…"}
            </Text>
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>{t("organization.yours")}</Menu.Label>
          {accounts.data?.map((entry) => (
            <Menu.Item
              key={entry.accountId}
              aria-current={entry.isCurrent || undefined}
              leftSection={entry.isCurrent ? <IconCheck size={16} aria-hidden /> : <span style={{ width: 16, display: "inline-block" }} />}
              onClick={() => (entry.isCurrent ? undefined : move.mutate(entry))}
            >
              <Text size="sm" truncate fw={entry.isCurrent ? 600 : 400}>
                {entry.accountName}
              </Text>
              <Group gap={6}>
                <Text size="xs" c="dimmed">
                  {t.maybe(`role.${entry.role}`) ?? entry.role}
                </Text>
                {entry.accountStatus === "suspended" ? (
                  <Badge size="xs" color="red" variant="light">
                    {t("organization.suspended")}
                  </Badge>
                ) : null}
              </Group>
            </Menu.Item>
          ))}
          <Menu.Divider />
          <Menu.Item leftSection={<IconPlus size={16} aria-hidden />} onClick={open}>
            {t("organization.create")}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Suspense>{creating ? <CreateOrganization opened onClose={close} /> : null}</Suspense>
    </>
  );
}

import { Button, Group, Radio, Skeleton, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { unwrap } from "../../api/client";
import { useT } from "../../i18n/I18n";
import { Failure } from "../../ui/Failure";
import { notify } from "../../ui/notify";
import { api } from "../api";
import { changes, levels, modules, type Level, type Permissions } from "../permissions";
import { permissionsQuery, type Member } from "../queries";
import { Section } from "../../ui/Section";
import classes from "./PermissionMatrix.module.css";

/** PermissionMatrix says how far a member may go in each module. */
export function PermissionMatrix({ member }: { member: Member }) {
  const t = useT();
  const stored = useQuery({ ...permissionsQuery(member.id), enabled: member.role !== "owner" });
  if (member.role === "owner") return <Section title={t("staff.permissions")} text={t("staff.ownerHasAll")}>{null}</Section>;
  return (
    <Section title={t("staff.permissions")} text={t("staff.permissionsText")}>
      <Failure error={stored.error} retry={() => void stored.refetch()} />
      {stored.isPending ? <Skeleton h={380} radius="md" /> : null}
      {stored.data ? <Levels member={member} stored={stored.data} /> : null}
    </Section>
  );
}

function Levels({ member, stored }: { member: Member; stored: Permissions }) {
  const t = useT();
  const queries = useQueryClient();
  const [chosen, setChosen] = useState<Partial<Permissions>>({});
  const wanted = { ...stored, ...chosen };
  const changed = changes(stored, wanted);
  const count = Object.keys(changed).length;
  const save = useMutation({
    mutationFn: () => unwrap(api.PATCH("/api/v1/admin/staff/{id}/permissions", { params: { path: { id: member.id } }, body: { permissions: changed } })),
    onSuccess: async () => {
      await queries.invalidateQueries(permissionsQuery(member.id));
      setChosen({});
      notify(t("staff.permissionsSaved"));
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <div className={classes.matrix}>
        {modules.map((module) => (
          <Radio.Group
            key={module}
            className={classes.module}
            data-changed={module in changed || undefined}
            label={t(`staff.module.${module}`)}
            description={t(`staff.moduleHint.${module}`)}
            value={wanted[module]}
            onChange={(level) => setChosen({ ...chosen, [module]: level as Level })}
          >
            <div className={classes.levels}>
              {levels.map((level) => (
                <Radio key={level} value={level} label={t(`staff.level.${level}`)} />
              ))}
            </div>
          </Radio.Group>
        ))}
      </div>
      <Failure error={save.error} />
      <Group justify="flex-end" mt="sm">
        <Text size="sm" c="dimmed" aria-live="polite" mr="auto">
          {count ? t.count("staff.changed", count) : ""}
        </Text>
        {count ? (
          <Button variant="default" onClick={() => setChosen({})}>
            {t("staff.undoChanges")}
          </Button>
        ) : null}
        <Button type="submit" disabled={!count} loading={save.isPending}>
          {t("action.save")}
        </Button>
      </Group>
    </form>
  );
}

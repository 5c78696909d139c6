import { Button, Group, Select, SimpleGrid, Stack, Table, Text, TextInput, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";

import { accountQuery } from "../../customer/queries";
import { useFormat, useT } from "../../i18n/I18n";
import { Failure } from "../../ui/Failure";
import { listsQuery } from "../contacts/queries";
import { countryCodes } from "../organization/places";
import { fields, guessMapping, type Field, type Mapping } from "./columns";
import { ForecastPanel } from "./ForecastPanel";
import classes from "./Import.module.css";
import type { Plan } from "./prepare";
import type { ImportReader } from "./reader";
import type { Opened } from "./worker";

/** What was chosen about a file before it is sent. */
export interface Choice {
  plan: Plan;
  listId: string | null;
  /** Name of a list to make first, or "". */
  newList: string;
  asIs: boolean;
}

interface Props {
  reader: ImportReader;
  file: File;
  opened: Opened;
  /** Why it could not be sent. */
  error: unknown;
  onSend: (choice: Choice) => void;
  onBack: () => void;
}

const NEW = "new";
const NONE = "none";

/** MatchColumns shows the first rows, says which column is what, and counts what will happen. */
export function MatchColumns({ reader, file, opened, error, onSend, onBack }: Props) {
  const t = useT();
  const format = useFormat();
  const account = useQuery(accountQuery);
  const lists = useQuery(listsQuery);
  const [mapping, setMapping] = useState<Mapping>(() => guessMapping(opened.headers, opened.sample));
  const [chosenCountry, setCountry] = useState<string | null>(null);
  const [list, setList] = useState<string | null>(null);
  const [newList, setNewList] = useState("");
  const country = chosenCountry ?? account.data?.country ?? NONE;
  const plan: Plan = { mapping, country: country === NONE ? null : country };
  const hasPhone = mapping.includes("phone");
  const forecast = useQuery({
    queryKey: ["forecast", reader.serial, plan],
    queryFn: () => reader.forecast(plan),
    enabled: hasPhone && account.data !== undefined,
    staleTime: Infinity,
    gcTime: 0,
  });
  const countries = useMemo(
    () => [
      { value: NONE, label: t("import.noCountry") },
      ...countryCodes.map((code) => ({ value: code, label: format.country(code) })).sort((a, b) => a.label.localeCompare(b.label, t.language)),
    ],
    [format, t],
  );
  const assign = (column: number, field: Field | null) => setMapping(mapping.map((old, i) => (i === column ? field : old === field ? null : old)));
  const needsName = list === NEW && newList.trim() === "";
  return (
    <Stack>
      <section className="panel">
        <Group p="md" justify="space-between">
          <div>
            <Title order={2} size="h5">
              {t("import.match")}
            </Title>
            <Text size="sm" c="dimmed">
              {t("import.matchText", { file: file.name })}
            </Text>
          </div>
          <Button variant="default" onClick={onBack}>
            {t("import.otherFile")}
          </Button>
        </Group>
        <div className="scroll-x" tabIndex={0} role="region" aria-label={t("import.match")}>
          <Table verticalSpacing="xs" horizontalSpacing="sm">
            <Table.Thead>
              <Table.Tr>
                {opened.headers.map((header, i) => (
                  <Table.Th key={i} className={classes.map}>
                    <Text size="xs" c="dimmed" truncate mb={4}>
                      {header || t("import.column", { number: i + 1 })}
                    </Text>
                    <Select
                      size="xs"
                      aria-label={t("import.columnIs", { column: header || String(i + 1) })}
                      data={fields.map((field) => ({ value: field, label: t(`import.field.${field}`) }))}
                      value={mapping[i] ?? null}
                      placeholder={t("import.leftOut")}
                      clearable
                      clearButtonProps={{ "aria-label": t("import.leftOut") }}
                      onChange={(value) => assign(i, value as Field | null)}
                    />
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {opened.sample.map((row, r) => (
                <Table.Tr key={r}>
                  {opened.headers.map((_, i) => (
                    <Table.Td key={i} className={classes.sample} data-left-out={mapping[i] === null || undefined}>
                      {row[i]}
                    </Table.Td>
                  ))}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </div>
      </section>
      <section className="panel" style={{ padding: 16 }}>
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <Select label={t("import.country")} description={t("import.countryHint")} data={countries} value={country} onChange={setCountry} searchable allowDeselect={false} />
          <div>
            <Select
              label={t("import.list")}
              description={t("import.listHint")}
              placeholder={t("import.noList")}
              data={[{ value: NEW, label: t("import.newList") }, ...(lists.data?.map((l) => ({ value: l.id, label: l.name })) ?? [])]}
              value={list}
              onChange={setList}
              searchable
              clearable
              clearButtonProps={{ "aria-label": t("import.noList") }}
            />
            {list === NEW ? <TextInput mt="xs" label={t("lists.name")} maxLength={100} value={newList} onChange={(event) => setNewList(event.currentTarget.value)} /> : null}
          </div>
        </SimpleGrid>
      </section>
      {hasPhone ? null : <Text c="var(--mantine-color-error)" role="alert">{t("import.needPhone")}</Text>}
      <Failure error={error ?? forecast.error} />
      {hasPhone ? <ForecastPanel forecast={forecast.data} /> : null}
      <Group justify="flex-end">
        <Button
          disabled={!forecast.data?.ready || needsName}
          loading={hasPhone && forecast.isFetching}
          onClick={() => forecast.data && onSend({ plan, listId: list === NEW ? null : list, newList: list === NEW ? newList.trim() : "", asIs: forecast.data.asIs })}
        >
          {forecast.data ? t.count("import.send", forecast.data.ready) : t("nav.import")}
        </Button>
      </Group>
    </Stack>
  );
}

import { Skeleton, Spoiler, Table, Text, Title } from "@mantine/core";
import "@mantine/core/styles/Spoiler.css";

import type { MessageKey } from "../../i18n/catalogue";
import { useFormat, useT } from "../../i18n/I18n";
import classes from "./Import.module.css";
import type { Forecast } from "./prepare";

/** ForecastPanel says what sending the file would do, before it is sent. */
export function ForecastPanel({ forecast }: { forecast: Forecast | undefined }) {
  const t = useT();
  if (!forecast) return <Skeleton h={140} radius="lg" aria-label={t("import.counting")} role="status" />;
  const figures: [MessageKey, number][] = [
    ["import.rows", forecast.rows],
    ["import.ready", forecast.ready],
    ["import.national", forecast.national],
    ["import.unknownNetwork", forecast.unknownNetwork],
    ["import.duplicates", forecast.duplicates],
    ["import.impossible", forecast.impossible],
  ];
  return (
    <section className="panel" style={{ padding: 16 }} aria-live="polite">
      <Title order={2} size="h5" mb="sm">
        {t("import.forecast")}
      </Title>
      <Figures figures={figures} />
      {forecast.refused.length > 0 ? (
        <>
          <Title order={3} size="h6" mt="md">
            {t("import.refused")}
          </Title>
          <Spoiler maxHeight={150} showLabel={t("action.showAll")} hideLabel={t("action.showLess")}>
            <Table>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th w={80}>{t("import.row")}</Table.Th>
                  <Table.Th>{t("field.phone")}</Table.Th>
                  <Table.Th>{t("import.why")}</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {forecast.refused.map((row) => (
                  <Table.Tr key={row.row}>
                    <Table.Td>{row.row}</Table.Td>
                    <Table.Td>{row.phone}</Table.Td>
                    <Table.Td>{t(`import.why.${row.why}`)}</Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </Spoiler>
        </>
      ) : null}
    </section>
  );
}

/** Figures shows counts with their names. */
export function Figures({ figures }: { figures: [MessageKey, number][] }) {
  const t = useT();
  const format = useFormat();
  return (
    <dl className={classes.figures} style={{ margin: 0 }}>
      {figures.map(([label, value]) => (
        <div key={label} className={classes.figure}>
          <Text component="dt" size="xs" c="dimmed">
            {t(label)}
          </Text>
          <Text component="dd" m={0} fw={650} size="lg">
            {format.number(value)}
          </Text>
        </div>
      ))}
    </dl>
  );
}

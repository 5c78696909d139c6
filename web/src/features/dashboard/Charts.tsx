import { AreaChart, BarChart, DonutChart } from "@mantine/charts";
import "@mantine/charts/styles.css";
import { Group, SimpleGrid, Table, Text, Title, VisuallyHidden } from "@mantine/core";
import { useReducedMotion } from "@mantine/hooks";
import type { ReactNode } from "react";

import type { components } from "../../api/schema";
import { useFormat, useT } from "../../i18n/I18n";
import classes from "./Dashboard.module.css";
import { growth, top, type Bar } from "./series";

type Stats = components["schemas"]["Stats"];

/** The charts are pictures: keyboards and screen readers get the tables beside them. */
const silent = { accessibilityLayer: false, tabIndex: -1 };

/** Charts draw the figures; each has the same figures as a table for those who can't see it. */
export default function Charts({ stats }: { stats: Stats }) {
  const t = useT();
  const format = useFormat();
  const still = useReducedMotion();
  const days = growth(stats.days, stats.total).map((entry) => ({ ...entry, label: format.day(`${entry.day}T12:00:00Z`) }));
  const countries = top(
    stats.countries.map((c) => ({ name: c.country ? format.country(c.country) : t("dashboard.unknownCountry"), count: c.count })),
    7,
    t("dashboard.others"),
  );
  const operators = top(
    stats.operators.map((o) => ({ name: `${o.operator} ${o.country}`, count: o.count })),
    7,
    t("dashboard.others"),
  );
  const shares = [
    { name: t("dashboard.valid"), value: stats.valid, color: "lagoon.6" },
    { name: t("dashboard.invalid"), value: stats.invalid, color: "gray.5" },
  ];
  const optOuts = [
    { name: t("contacts.reachable"), value: stats.total - stats.optedOut, color: "lagoon.6" },
    { name: t("contacts.optedOut"), value: stats.optedOut, color: "orange.6" },
  ];
  return (
    <>
      <Chart title={t("dashboard.overTime")}>
        <div aria-hidden>
          <AreaChart
            h={260}
            data={days}
            dataKey="label"
            series={[{ name: "total", label: t("dashboard.total"), color: "lagoon.6" }]}
            curveType="monotone"
            withDots={false}
            valueFormatter={format.number}
            xAxisProps={{ minTickGap: 40 }}
            yAxisProps={{ width: 70, allowDecimals: false }}
            areaProps={{ isAnimationActive: !still }}
            areaChartProps={silent}
          />
        </div>
        <Figures caption={t("dashboard.overTime")} rows={days.filter((d) => d.added > 0).map((d) => ({ name: d.label, count: d.total }))} />
      </Chart>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Chart title={t("dashboard.byCountry")}>
          <Bars bars={countries} still={still} />
          <Figures caption={t("dashboard.byCountry")} rows={countries} />
        </Chart>
        <Chart title={t("dashboard.byOperator")}>
          <Bars bars={operators} still={still} />
          <Figures caption={t("dashboard.byOperator")} rows={operators} />
        </Chart>
        <Chart title={t("dashboard.validity")}>
          <Shares shares={shares} still={still} />
        </Chart>
        <Chart title={t("dashboard.optOuts")}>
          <Shares shares={optOuts} still={still} />
        </Chart>
      </SimpleGrid>
    </>
  );
}

function Chart({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className={`panel ${classes.chart}`}>
      <Title order={2} size="h5" mb="md">
        {title}
      </Title>
      {children}
    </section>
  );
}

function Bars({ bars, still }: { bars: Bar[]; still: boolean }) {
  const t = useT();
  const format = useFormat();
  return (
    <div aria-hidden>
      <BarChart
        h={Math.max(64, bars.length * 38)}
        data={bars}
        dataKey="name"
        orientation="vertical"
        series={[{ name: "count", label: t("nav.contacts"), color: "lagoon.6" }]}
        gridAxis="none"
        withXAxis={false}
        valueFormatter={format.number}
        yAxisProps={{ width: 130, interval: 0 }}
        barProps={{ radius: 4, isAnimationActive: !still, barSize: 16 }}
        barChartProps={silent}
        withBarValueLabel
        valueLabelProps={{ position: "insideRight", fill: "#fff", fontSize: 11 }}
      />
    </div>
  );
}

interface Share {
  name: string;
  value: number;
  color: string;
}

function Shares({ shares, still }: { shares: Share[]; still: boolean }) {
  const format = useFormat();
  const whole = shares.reduce((sum, share) => sum + share.value, 0) || 1;
  return (
    <Group gap="lg" justify="center">
      <div aria-hidden>
        <DonutChart data={shares.filter((share) => share.value > 0)} size={130} thickness={22} withTooltip={false} pieProps={{ isAnimationActive: !still, rootTabIndex: -1 }} pieChartProps={silent} />
      </div>
      <Table w="auto" withRowBorders={false}>
        <Table.Tbody>
          {shares.map((share) => (
            <Table.Tr key={share.name}>
              <Table.Th scope="row" fw={500}>
                <Group gap={8} wrap="nowrap">
                  <span aria-hidden style={{ width: 10, height: 10, borderRadius: 3, background: `var(--mantine-color-${share.color.replace(".", "-")})` }} />
                  {share.name}
                </Group>
              </Table.Th>
              <Table.Td ta="right">{format.number(share.value)}</Table.Td>
              <Table.Td ta="right">
                <Text size="sm" c="dimmed">
                  {format.percent(share.value / whole)}
                </Text>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Group>
  );
}

/** Figures are what a chart shows, for a screen reader. */
function Figures({ caption, rows }: { caption: string; rows: Bar[] }) {
  const format = useFormat();
  return (
    <VisuallyHidden>
      <table>
        <caption>{caption}</caption>
        <tbody>
          {rows.map((row) => (
            <tr key={row.name}>
              <th scope="row">{row.name}</th>
              <td>{format.number(row.count)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </VisuallyHidden>
  );
}

import { useLocalStorage } from "@mantine/hooks";

import type { MessageKey } from "../../i18n/catalogue";

/** The columns that can be shown beside the name, in their order. */
export const columns = ["phone", "operator", "email", "tags", "lists", "status", "created"] as const;
export type Column = (typeof columns)[number];

export const columnLabels: Record<Column, MessageKey> = {
  phone: "field.phone",
  operator: "contacts.operator",
  email: "field.email",
  tags: "nav.tags",
  lists: "nav.lists",
  status: "contacts.status",
  created: "contacts.created",
};

/** How much of the width each takes. */
export const columnWidths: Record<Column, string> = {
  phone: "minmax(150px, 1fr)",
  operator: "minmax(140px, 1fr)",
  email: "minmax(160px, 1.2fr)",
  tags: "minmax(140px, 1.2fr)",
  lists: "minmax(120px, 1fr)",
  status: "110px",
  created: "120px",
};

/** useColumns remembers the chosen columns in this browser. */
export function useColumns() {
  const [chosen, setChosen] = useLocalStorage<Column[]>({
    key: "ujumbe.columns",
    defaultValue: ["phone", "operator", "tags", "lists", "status"],
    getInitialValueInEffect: false,
  });
  const known = columns.filter((column) => Array.isArray(chosen) && chosen.includes(column));
  const toggle = (column: Column) => setChosen(known.includes(column) ? known.filter((c) => c !== column) : [...known, column]);
  return { chosen: known, toggle };
}

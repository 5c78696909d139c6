import { CloseButton, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useEffect, useState } from "react";

import { useT } from "../i18n/I18n";
import { IconSearch } from "./icons";

interface Props {
  label: string;
  value: string;
  /** Called when typing pauses; undefined when nothing is searched for. */
  onChange: (value: string | undefined) => void;
}

/** SearchField searches as one types, once typing pauses. */
export function SearchField({ label, value, onChange }: Props) {
  const t = useT();
  const [typed, setTyped] = useState(value);
  const search = useDebouncedCallback((text: string) => onChange(text.trim() || undefined), 250);
  // The address may change by itself: back, forward.
  useEffect(() => setTyped((current) => (current.trim() === value ? current : value)), [value]);
  return (
    <TextInput
      type="search"
      aria-label={label}
      placeholder={label}
      leftSection={<IconSearch size={16} aria-hidden />}
      rightSection={
        typed ? (
          <CloseButton
            size="sm"
            aria-label={t("action.clear")}
            onClick={() => {
              setTyped("");
              search("");
              search.flush();
            }}
          />
        ) : null
      }
      value={typed}
      maxLength={200}
      onChange={(event) => {
        setTyped(event.currentTarget.value);
        search(event.currentTarget.value);
      }}
    />
  );
}

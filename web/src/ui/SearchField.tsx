import { CloseButton, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useEffect, useRef, useState } from "react";

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
  // Searches on their way into the address. When one arrives there, more may have
  // been typed by then; any other change of the address (back, forward, a filter
  // that was cleared) is taken over.
  const underway = useRef<string[]>([]);
  const search = useDebouncedCallback((text: string) => {
    underway.current.push(text.trim());
    onChange(text.trim() || undefined);
  }, 250);
  useEffect(() => {
    const arrived = underway.current.lastIndexOf(value);
    if (arrived < 0) setTyped((current) => (current.trim() === value ? current : value));
    underway.current.splice(0, arrived + 1);
  }, [value]);
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

import { CloseButton, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useState } from "react";

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
  const [sent, setSent] = useState(value);
  const [seen, setSeen] = useState(value);
  const search = useDebouncedCallback((text: string) => {
    setSent(text.trim());
    onChange(text.trim() || undefined);
  }, 250);
  if (seen !== value) {
    setSeen(value);
    // What was sent comes back while one may be typing on; anything else is the
    // address changing by itself, by back or forward.
    if (value !== sent) {
      setSent(value);
      setTyped(value);
    }
  }
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

import { TextInput, type TextInputProps } from "@mantine/core";

import { useFormat, useT } from "../../i18n/I18n";
import { checkPhone, formatTyped } from "./phone";
import { networkOf } from "./registry";

interface Props extends Omit<TextInputProps, "value" | "onChange"> {
  // Optional, since that is how a form's getInputProps types them.
  value?: string;
  onChange?: (value: string) => void;
  /** The organization's country, for numbers without a calling code. */
  country?: string | undefined;
}

/** PhoneField formats a number as it is typed and says whose it is. */
export function PhoneField({ value = "", onChange, country, error, ...rest }: Props) {
  const t = useT();
  const format = useFormat();
  const check = checkPhone(value, country);
  const describe = () => {
    if (!check.ok) return t("phone.hint");
    const network = networkOf(check.international);
    if (network) return t("phone.network", { operator: network.operator, country: format.country(network.country) });
    return t(check.likely ? "phone.unknownNetwork" : "phone.unlikely");
  };
  return (
    <TextInput
      type="tel"
      inputMode="tel"
      autoComplete="off"
      {...rest}
      value={value}
      error={error}
      description={<span aria-live="polite">{describe()}</span>}
      inputWrapperOrder={["label", "input", "description", "error"]}
      onChange={(event) => {
        const { value: next, selectionStart } = event.currentTarget;
        // Formatting while the caret stands inside would throw it about.
        const atEnd = selectionStart === next.length && next.length > value.length;
        onChange?.(atEnd ? formatTyped(next, country) : next);
      }}
      onBlur={(event) => {
        if (check.ok) onChange?.(formatTyped(check.international));
        rest.onBlur?.(event);
      }}
    />
  );
}

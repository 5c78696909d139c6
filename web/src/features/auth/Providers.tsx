import { Button, Divider, Stack } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";

import { useT } from "../../i18n/I18n";
import { Failure } from "../../ui/Failure";
import { begin, configured, type Slot } from "./providers";

/** Providers offers the identity providers that this installation has. */
export function Providers() {
  const t = useT();
  const providers = useQuery({ queryKey: ["providers"], queryFn: configured, staleTime: Infinity, retry: false });
  const leave = useMutation({
    mutationFn: (slot: Slot) => begin(slot),
    onSuccess: (url) => location.assign(url),
  });
  if (!providers.data?.length) return null;
  return (
    <Stack gap="sm">
      <Divider label={t("auth.or")} labelPosition="center" />
      {providers.data.map(({ slot, name }) => (
        <Button key={slot} variant="default" loading={leave.isPending && leave.variables === slot} onClick={() => leave.mutate(slot)}>
          {name ? t("auth.continueWith", { name }) : t("auth.continueWithSlot", { letter: slot.slice(-1).toUpperCase() })}
        </Button>
      ))}
      <Failure error={leave.error} />
    </Stack>
  );
}

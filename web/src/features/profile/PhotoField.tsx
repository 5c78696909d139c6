import { Avatar, Button, FileButton, Group, Modal, Slider, Stack, Text } from "@mantine/core";
import "@mantine/core/styles/Slider.css";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import Cropper, { type Area } from "react-easy-crop";
import "react-easy-crop/react-easy-crop.css";

import { unwrap } from "../../api/client";
import type { components } from "../../api/schema";
import { api } from "../../customer/api";
import { meQuery } from "../../customer/queries";
import { useT } from "../../i18n/I18n";
import { Failure } from "../../ui/Failure";
import { notify, notifyFailure } from "../../ui/notify";
import { cropped } from "./crop";

/** Kinds of pictures that the server takes. */
const TYPES = "image/jpeg,image/png,image/webp";

/** A picture from a camera may be larger than the server takes; what is cropped out of it is small. */
const MAX_SOURCE_BYTES = 30_000_000;

/** PhotoField shows one's photo and lets one choose and crop another. */
export function PhotoField({ user }: { user: components["schemas"]["Profile"] }) {
  const t = useT();
  const [source, setSource] = useState<string | null>(null);
  const name = `${user.firstName} ${user.lastName}`;
  const choose = (file: File | null) => {
    if (!file) return;
    if (!TYPES.includes(file.type) || file.size > MAX_SOURCE_BYTES) notifyFailure(t("profile.photoWrong"));
    else setSource(URL.createObjectURL(file));
  };
  const close = () => {
    if (source) URL.revokeObjectURL(source);
    setSource(null);
  };
  return (
    <Group>
      <Avatar src={user.profilePhotoUrl || null} name={name} color="lagoon" size={72} alt={t("profile.photoOf", { name })} />
      <div>
        <FileButton accept={TYPES} onChange={choose}>
          {(props) => (
            <Button variant="default" size="sm" {...props}>
              {t("profile.choosePhoto")}
            </Button>
          )}
        </FileButton>
        <Text size="xs" c="dimmed" mt={4}>
          {t("profile.photoHint")}
        </Text>
      </div>
      <Modal opened={source !== null} onClose={close} title={t("profile.crop")} centered closeButtonProps={{ "aria-label": t("action.close") }}>
        {source ? <Crop source={source} onDone={close} /> : null}
      </Modal>
    </Group>
  );
}

function Crop({ source, onDone }: { source: string; onDone: () => void }) {
  const t = useT();
  const queries = useQueryClient();
  const [position, setPosition] = useState({ x: 0, y: 0 });
  const [zoom, setZoom] = useState(1);
  const [area, setArea] = useState<Area | null>(null);
  const upload = useMutation({
    mutationFn: async (chosen: Area) => {
      const picture = await cropped(source, chosen);
      return unwrap(
        api.POST("/api/v1/users/me/photo", {
          body: { file: "" },
          bodySerializer: () => {
            const form = new FormData();
            form.set("file", picture, "photo.jpg");
            return form;
          },
        }),
      );
    },
    onSuccess: async () => {
      notify(t("profile.photoSaved"));
      onDone();
      await queries.invalidateQueries({ queryKey: meQuery.queryKey });
    },
  });
  return (
    <Stack>
      <div style={{ position: "relative", height: 280, borderRadius: 8, overflow: "hidden", background: "#111" }}>
        <Cropper
          image={source}
          crop={position}
          zoom={zoom}
          aspect={1}
          cropShape="round"
          disableAutomaticStylesInjection
          onCropChange={setPosition}
          onZoomChange={setZoom}
          onCropComplete={(_, pixels) => setArea(pixels)}
          cropperProps={{ role: "group", "aria-label": t("profile.cropHint") }}
        />
      </div>
      <Text size="xs" c="dimmed">
        {t("profile.cropHint")}
      </Text>
      <Slider min={1} max={3} step={0.01} value={zoom} onChange={setZoom} label={null} thumbLabel={t("profile.zoom")} />
      <Failure error={upload.error} />
      <Group justify="flex-end">
        <Button variant="default" onClick={onDone}>
          {t("action.cancel")}
        </Button>
        <Button disabled={!area} loading={upload.isPending} onClick={() => area && upload.mutate(area)}>
          {t("profile.usePhoto")}
        </Button>
      </Group>
    </Stack>
  );
}

import { fileURLToPath } from "node:url";

import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

// What both sign-in pages need, as one file: forty small ones would cost a slow
// link forty round trips, and compress worse.
const base = new RegExp(
  "/node_modules/(" +
    "react|react-dom|scheduler|openapi-fetch|clsx|use-sync-external-store|react-transition-group|react-remove-scroll.*|use-sidecar|use-callback-ref|" +
    "@tanstack/(react-router|router-core|history|react-query|query-core|store|react-store)|@floating-ui/.*|@mantine/(hooks|notifications)|" +
    "@mantine/core/esm/(core|utils|components/(ActionIcon|Alert|Anchor|Badge|Button|CloseButton|Divider|Floating|Group|Input|InputBase|Loader|Menu|Notification|Paper|PasswordInput|Popover|Portal|Stack|Text|TextInput|Title|Transition|UnstyledButton))" +
    ")/",
);

// Two pages: customers never load what the staff's page needs. The output goes
// where the Go binary embeds it.
export default defineConfig({
  plugins: [react()],
  build: {
    outDir: "../internal/console/dist",
    emptyOutDir: false, // scripts/clean.mjs empties it, but for .gitkeep
    target: "es2022",
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1000, // scripts/size.mjs watches what matters
    manifest: "build.json",
    rolldownOptions: {
      input: { customer: "index.html", staff: "admin/index.html" },
      output: { codeSplitting: { groups: [{ name: "base", test: base }] } },
    },
    // Inlined assets would need a wider content security policy.
    assetsInlineLimit: 0,
  },
  resolve: {
    // What jsPDF loads to draw HTML and SVG, which nobody asks it for here.
    alias: Object.fromEntries(["html2canvas", "canvg", "dompurify"].map((name) => [name, fileURLToPath(new URL("src/features/export/absent.ts", import.meta.url))])),
  },
  worker: { format: "es" },
  server: {
    fs: { allow: [".."] }, // the phone registry is the server's own file
    proxy: { "/api": "http://localhost:8080", "/photos": "http://localhost:8080" },
  },
  test: {
    environment: "node",
    include: ["src/**/*.test.{ts,tsx}"],
  },
});

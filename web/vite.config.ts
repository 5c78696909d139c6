import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

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
    manifest: "manifest.json",
    rollupOptions: {
      input: { customer: "index.html", staff: "admin/index.html" },
    },
    // Inlined assets would need a wider content security policy.
    assetsInlineLimit: 0,
  },
  worker: { format: "es" },
  server: {
    proxy: { "/api": "http://localhost:8080", "/photos": "http://localhost:8080" },
  },
  test: {
    environment: "happy-dom",
    include: ["src/**/*.test.{ts,tsx}"],
  },
});

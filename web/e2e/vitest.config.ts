import { defineConfig } from "vitest/config";

// One browser at a time: each file starts a server and a Chromium of its own.
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ["**/*.e2e.ts"],
    environment: "node",
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 60_000,
    bail: 1,
  },
});

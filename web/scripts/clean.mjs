// Empties the folder that the Go binary embeds, but for the file that keeps it
// in the repository.
import { readdirSync, rmSync } from "node:fs";

const dist = new URL("../../internal/console/dist/", import.meta.url);
for (const name of readdirSync(dist)) {
  if (name !== ".gitkeep") rmSync(new URL(name, dist), { recursive: true });
}

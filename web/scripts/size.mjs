// Fails when what a browser loads before a page stands weighs more than 250 kB
// gzipped: the page, every script that it needs, their styles, and the language.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const LIMIT = 250_000;
const dist = fileURLToPath(new URL("../../internal/console/dist/", import.meta.url));
const manifest = JSON.parse(readFileSync(dist + "build.json", "utf8"));

const visits = {
  "customers, sign-in": ["index.html", "src/i18n/messages/en/customer.ts", "src/features/auth/LoginPage.tsx"],
  "customers, dashboard": ["index.html", "src/i18n/messages/en/customer.ts", "src/customer/Shell.tsx", "src/features/dashboard/DashboardPage.tsx"],
  "staff, sign-in": ["admin/index.html", "src/i18n/messages/en/console.ts", "src/staff/sign-in/LoginPage.tsx"],
};

/** filesOf names everything that these entries load without being asked again. */
function filesOf(entries) {
  const files = new Set(["scheme.js"]);
  const visit = (key) => {
    const chunk = manifest[key];
    if (!chunk) throw new Error(`${key} is not in the build; mend the list of visits`);
    if (files.has(chunk.file)) return;
    files.add(chunk.file);
    for (const css of chunk.css ?? []) files.add(css);
    for (const next of chunk.imports ?? []) visit(next);
  };
  entries.forEach(visit);
  return files.add(entries[0]);
}

for (const [name, entries] of Object.entries(visits)) {
  const files = filesOf(entries);
  let total = 0;
  for (const file of files) total += gzipSync(readFileSync(dist + file)).length;
  console.log(`${name}: ${(total / 1000).toFixed(1)} kB gzipped in ${files.size} files (limit ${LIMIT / 1000} kB)`);
  if (total > LIMIT) process.exitCode = 1;
}

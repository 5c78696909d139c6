// Fails when what a customer's browser loads first weighs more than 250 kB
// gzipped: the page, the scripts it imports statically, and their styles.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const LIMIT = 250_000;
const dist = fileURLToPath(new URL("../../internal/console/dist/", import.meta.url));
const manifest = JSON.parse(readFileSync(dist + "manifest.json", "utf8"));

function firstLoad(entry) {
  const files = new Set([entry, "scheme.js"]);
  const visit = (key) => {
    const chunk = manifest[key];
    if (files.has(chunk.file)) return;
    files.add(chunk.file);
    for (const css of chunk.css ?? []) files.add(css);
    for (const next of chunk.imports ?? []) visit(next);
  };
  visit(entry);
  let total = 0;
  for (const name of files) total += gzipSync(readFileSync(dist + name)).length;
  return { total, count: files.size };
}

for (const entry of ["index.html", "admin/index.html"]) {
  const { total, count } = firstLoad(entry);
  console.log(`${entry}: ${(total / 1000).toFixed(1)} kB gzipped in ${count} files (limit ${LIMIT / 1000} kB)`);
  if (total > LIMIT) process.exitCode = 1;
}

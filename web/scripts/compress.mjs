// Writes a brotli copy beside each file that gains by it. The server hands that
// out to browsers that take it, so nothing is compressed while someone waits.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants } from "node:zlib";

const dist = fileURLToPath(new URL("../../internal/console/dist/", import.meta.url));
for (const name of readdirSync(dist, { recursive: true })) {
  if (!/\.(js|css|svg|ttf)$/.test(name)) continue;
  const plain = readFileSync(join(dist, name));
  const small = brotliCompressSync(plain, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: plain.length },
  });
  if (small.length < plain.length * 0.9) writeFileSync(join(dist, name + ".br"), small);
}

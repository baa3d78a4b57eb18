// Each file that shrinks, packed as well as it can be, once, while the console is built.
// Invariant: what stands beside a file unpacks to exactly that file.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import type { Plugin } from "vite";

const shrinks = /\.(?:html|js|css|json|svg)$/;

/** Writes `name.br` and `name.gz` beside every `name` in the folder that the build fills. */
export function packed(): Plugin {
  return {
    name: "packed",
    writeBundle({ dir = "" }) {
      for (const name of readdirSync(dir, { recursive: true, encoding: "utf8" })) {
        if (!shrinks.test(name)) continue;
        const bytes = readFileSync(join(dir, name));
        const params = { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
        writeFileSync(join(dir, `${name}.br`), brotliCompressSync(bytes, { params }));
        writeFileSync(join(dir, `${name}.gz`), gzipSync(bytes, { level: 9 }));
      }
    },
  };
}

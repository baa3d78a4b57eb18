// Copies this checkout with its types stripped, for a Node that cannot strip them itself: without
// a just-in-time compiler there is no WebAssembly, and Node strips with a program of that.
// Invariant: nothing but types is taken away. `node test/golden/stripped.ts <folder>`
import { cpSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const checkout = fileURLToPath(new URL("../../", import.meta.url));

/** Loaded before everything else: what is asked for as TypeScript is already JavaScript here. */
const asItStands = `import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";

registerHooks({
  load: (url, context, next) =>
    url.endsWith(".ts")
      ? { format: "module", source: readFileSync(new URL(url)), shortCircuit: true }
      : next(url, context),
});
`;

function strip(folder: string): void {
  const isWanted = (path: string) => !/\.test\.ts$|\/node_modules(\/|$)/.test(path);
  for (const part of ["package.json", "src", "test"]) {
    cpSync(join(checkout, part), join(folder, part), {
      recursive: true,
      filter: (path) => isWanted(path.slice(checkout.length)),
    });
  }
  symlinkSync(join(checkout, "node_modules"), join(folder, "node_modules"));
  for (const part of ["src", "test"]) {
    for (const name of readdirSync(join(folder, part), { recursive: true, encoding: "utf8" })) {
      const path = join(folder, part, name);
      if (!path.endsWith(".ts") || !statSync(path).isFile()) continue;
      writeFileSync(path, stripTypeScriptTypes(readFileSync(path, "utf8")));
    }
  }
  writeFileSync(join(folder, "as-it-stands.mjs"), asItStands);
}

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("node test/golden/stripped.ts <folder>");
strip(folder);

// A copy of this checkout to change and run: by seeded bugs, and by a bench without a feature.
// Invariant: the checkout itself is never changed.
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const checkout = fileURLToPath(new URL("../", import.meta.url));

/** `npm ci` made these of the sources, and git does not know them. */
const made = ["sdk/openapi.json", "sdk/src/openapi.ts"];

/** A folder with what git knows or would add, and with these; its caller removes it. */
export function copyCheckout(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `firstprint-${name}-`));
  const listed = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "-z"], {
    cwd: checkout,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  for (const path of new Set([...listed.split("\0"), ...made])) {
    if (path === "" || !existsSync(join(checkout, path))) continue;
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    copyFileSync(join(checkout, path), join(folder, path));
  }
  symlinkSync(join(checkout, "node_modules"), join(folder, "node_modules"));
  return folder;
}

// A folder of a test's own: gone after the test.
// Invariant: a process that is still ending there fails no test.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** While a file still comes, the system refuses to remove its folder: asked again, for 11 s. */
const removal = { recursive: true, force: true, maxRetries: 10, retryDelay: 200 };

/** `prefix`: of the folder's name. */
export async function temporaryFolder(
  t: { after(end: () => Promise<void>): void },
  prefix: string,
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), prefix));
  t.after(() => rm(folder, removal));
  return folder;
}

// The one PostgreSQL server of a run of tests, named to them by their environment.
// Invariant: `stop` leaves neither process nor folder; what a killed run left is swept by the next
// (test/support/database.ts knows it by the folder's name).
import { execFileSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmbedded } from "#storage/embedded.ts";

export async function startTestServer() {
  const folder = await mkdtemp(join(tmpdir(), `firstprint-test-${process.pid}-`));
  await (await startEmbedded({ dataDir: folder })).stop();
  // Tests that want a server of their own begin with a copy of what was just made.
  const made = join(folder, "made-cluster");
  execFileSync("cp", ["-a", join(folder, "postgresql"), made]);
  const server = await startEmbedded({ dataDir: folder, settings: { max_connections: "300" } });
  return {
    env: {
      FIRSTPRINT_TEST_SERVER: JSON.stringify(server.connection),
      FIRSTPRINT_TEST_CLUSTER: made,
    },
    stop: async (): Promise<void> => {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

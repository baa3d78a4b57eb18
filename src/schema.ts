// `npm run schema -- <role>`: for a PostgreSQL of the operator's own, as its owner.
// Invariant: afterwards the schema is this version's, and the role may serve it and nothing more;
// it exits 2 where that is not so, and says why.
import { messageOf } from "#base/message-of.ts";
import { prepareDatabase } from "#journal/prepare-database.ts";
import { archive } from "#node/settings.ts";
import { connectionOf } from "#storage/hosts.ts";
import { excessOf } from "#storage/serving-role.ts";

async function prepare(): Promise<void> {
  const { DATABASE_URL: databaseUrl } = process.env;
  const [role, ...more] = process.argv.slice(2);
  if (!databaseUrl || role === undefined || more.length > 0) {
    throw new Error("Run DATABASE_URL=<that of the owner> npm run schema -- <role that serves>.");
  }
  const owner = connectionOf(databaseUrl);
  const { partitionEntries } = archive((name) => process.env[name] || undefined);
  await prepareDatabase(owner, role, undefined, partitionEntries);
  const excess = await excessOf(owner, role);
  console.log(`The schema is this version's, and the role ${role} may serve it.`);
  if (excess.length > 0)
    throw new Error(`But ${role} may do more than serve: it ${excess.join(", it ")}.`);
}

try {
  await prepare();
} catch (error) {
  console.error(messageOf(error));
  process.exitCode = 2;
}

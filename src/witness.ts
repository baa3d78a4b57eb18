// `firstprint witness`: a witness of transparency logs, in a process and on a machine of its own.
// Invariant: nothing is served before its key and the logs it watches are read.

import { parseArgs } from "node:util";
import { messageOf } from "#base/message-of.ts";
import { readVerifierKey } from "#journal/note.ts";
import { serveWitness } from "#witness/serve.ts";
import { Witness } from "#witness/witness.ts";

const options = {
  folder: { type: "string" },
  name: { type: "string" },
  log: { type: "string", multiple: true },
  host: { type: "string", default: "127.0.0.1" },
  port: { type: "string", default: "4700" },
} as const;

async function start(): Promise<void> {
  const { values } = parseArgs({ options });
  const { folder, name, log: logs = [], host, port } = values;
  if (folder === undefined || name === undefined || logs.length === 0) {
    throw new Error("--folder, --name and at least one --log are needed");
  }
  if (!/^[^\s+]{1,200}$/.test(name)) throw new Error("--name must have neither blank nor plus");
  if (!/^\d{1,5}$/.test(port)) throw new Error("--port must be a number to 65535");
  const tell = (sentence: string): void => console.error(sentence);
  const witness = await Witness.open(folder, name, logs.map(readVerifierKey), tell);
  const server = serveWitness(witness, (error) => console.error(error));
  await new Promise<void>((listening, failed) => {
    server.once("error", failed);
    server.listen(Number(port), host, listening);
  });
  const address = server.address();
  const at = typeof address === "object" && address !== null ? address.port : port;
  console.log(`witness ${name} at http://${host}:${at}`);
  console.log(`verifier key ${witness.verifierKey}`);
  const leave = (): void => {
    server.close(() => process.exit(0));
    server.closeIdleConnections();
  };
  process.on("SIGTERM", leave);
  process.on("SIGINT", leave);
}

try {
  await start();
} catch (error) {
  console.error(messageOf(error));
  process.exitCode = 2;
}

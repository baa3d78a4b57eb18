// Clients that three public generators make of sdk/openapi.json: each is compiled
// strictly and places an order: `FIRSTPRINT_KEY=… MARKET=… npx node tools/generated-clients.ts`
// beside a running exchange (FIRSTPRINT_URL, else http://127.0.0.1:4600). Run by hand: it installs
// the generators into a folder of its own, from the registry.
// Invariant: nothing of them becomes a dependency; the folder is gone afterwards.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const document = fileURLToPath(new URL("../sdk/openapi.json", import.meta.url));
const { FIRSTPRINT_URL: url = "http://127.0.0.1:4600" } = process.env;
for (const name of ["FIRSTPRINT_KEY", "MARKET"]) {
  if ((process.env[name] ?? "") === "")
    throw new Error(`set ${name}: a trading key, a market's id`);
}

const generators = ["openapi-typescript", "@hey-api/openapi-ts", "orval"];
const others = ["openapi-fetch", "typescript@5", "tsx", "@types/node@24"];

const order = `const { FIRSTPRINT_KEY: key = "", MARKET: marketId = "" } = process.env;
const order = { marketId, outcomeIndex: 0, side: "BUY", amount: "1", price: "0.0001" } as const;
`;

/** A program for each client: it places the order and prints what came back. */
const programs: Readonly<Record<string, string>> = {
  "openapi-typescript": `import createClient from "openapi-fetch";
import type { paths } from "./openapi-typescript/schema.ts";
${order}
const headers = { authorization: \`Bearer \${key}\` };
const exchange = createClient<paths>({ baseUrl: "${url}", headers });
const { data, error } = await exchange.POST("/api/trading/orders", { body: order });
if (error) throw new Error(JSON.stringify(error));
console.log(data.data.id, data.data.status);
`,
  "@hey-api/openapi-ts": `import { placeOrder } from "./hey-api/index.ts";
import { client } from "./hey-api/client.gen.ts";
${order}
client.setConfig({ baseUrl: "${url}", auth: key });
const { data, error } = await placeOrder({ body: order });
if (data === undefined) throw new Error(JSON.stringify(error));
console.log(data.data.id, data.data.status);
`,
  orval: `import { placeOrder } from "./orval/exchange.ts";
${order}
const fetched = globalThis.fetch;
globalThis.fetch = (place, init) => fetched(new URL(String(place), "${url}"), init);
const answer = await placeOrder(order, { headers: { authorization: \`Bearer \${key}\` } });
if (answer.status !== 200) throw new Error(JSON.stringify(answer.data));
console.log(answer.data.data.id, answer.data.data.status);
`,
};

const orvalConfig = `export default { exchange: {
  input: { target: ${JSON.stringify(document)} },
  output: { target: "orval/exchange.ts", client: "fetch", mode: "single" },
} };
`;

const compilerOptions = {
  ...{
    strict: true,
    noEmit: true,
    target: "esnext",
    lib: ["esnext", "dom", "dom.iterable"],
    types: ["node"],
  },
  ...{ module: "esnext", moduleResolution: "bundler", allowImportingTsExtensions: true },
};

const folder = mkdtempSync(join(tmpdir(), "firstprint-clients-"));
const run = (command: string, ...words: readonly string[]): string =>
  execFileSync(command, words, {
    cwd: folder,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);

try {
  write("package.json", '{"private":true,"type":"module"}');
  run("npm", "install", "--silent", "--no-audit", "--no-fund", ...generators, ...others);
  run("npx", "openapi-typescript", document, "-o", "openapi-typescript/schema.ts");
  run("npx", "openapi-ts", "-i", document, "-o", "hey-api");
  write("orval.config.mjs", orvalConfig);
  run("npx", "orval", "--config", "orval.config.mjs");
  for (const [name, program] of Object.entries(programs)) {
    const file = `order-${name.replaceAll(/\W/g, "-")}.ts`;
    write(file, program);
    write("tsconfig.json", JSON.stringify({ compilerOptions, files: [file] }));
    run("npx", "tsc", "-p", ".");
    const { version }: { readonly version: string } = JSON.parse(
      readFileSync(join(folder, "node_modules", name, "package.json"), "utf8"),
    );
    process.stdout.write(`${name} ${version}: compiles strictly; ${run("npx", "tsx", file)}`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

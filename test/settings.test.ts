// The settings of a node: what each takes, what it refuses, and what stands when it is absent.
// Invariant tested: a mistake stops the start with the name of its setting and what it takes.
import assert from "node:assert/strict";
import { resolve } from "node:path";
import { test } from "node:test";
import { storeVariables } from "#node/archive-settings.ts";
import { readSettings, type Settings } from "#node/settings.ts";
import { SettingsFault } from "#node/settings-fault.ts";

const SECRET = "0123456789abcdefghijklmnopqrstuv";

const s3Key = { AWS_ACCESS_KEY_ID: "id", AWS_SECRET_ACCESS_KEY: "secret" };
const s3 = { region: "us-east-1", accessKeyId: "id", secretAccessKey: "secret" };

const defaults: Settings = {
  host: "127.0.0.1",
  port: 4600,
  databaseUrl: undefined,
  replicas: undefined,
  storage: "checked",
  dataDir: resolve(".firstprint"),
  raw: undefined,
  partitionEntries: undefined,
  role: "exchange",
  leaderUrl: undefined,
  adminSecret: undefined,
  sample: undefined,
  clock: "real",
  dataProvider: undefined,
  publicRatePerMinute: 60,
  maxKeyRatePerMinute: 6000,
  kyc: "manual",
  priceModel: "hmr-t4r",
  downloads: undefined,
  trustedProxies: [],
  witnesses: [],
  webhookNetworks: [],
  downloadNetworks: [],
  hosts: [],
  addressConnections: 100,
  localConnections: 5_000,
  operatorListen: undefined,
  logLevel: "info",
  archive: undefined,
  archiveDays: undefined,
};

/** The variables set, and the settings they make. */
const taken: readonly (readonly [Readonly<Record<string, string>>, Partial<Settings>])[] = [
  [{ HOST: "::1" }, { host: "::1" }],
  [{ HOST: "127.0.0.7" }, { host: "127.0.0.7" }],
  [{ HOST: "LocalHost" }, { host: "LocalHost" }],
  [{ HOST: "::", FIRSTPRINT_PLAIN_HOST: "::" }, { host: "::" }],
  [
    { HOST: "10.0.0.11", FIRSTPRINT_TRUSTED_PROXIES: "10.0.0.2" },
    {
      host: "10.0.0.11",
      trustedProxies: [{ address: "10.0.0.2", prefix: 32, family: "ipv4" }],
    },
  ],
  [{ FIRSTPRINT_RAW_FILES: "database" }, {}],
  [
    { FIRSTPRINT_S3_URL: "http://127.0.0.1:9000/raw", ...s3Key },
    { raw: { ...s3, url: "http://127.0.0.1:9000/raw", takesNew: false } },
  ],
  [
    {
      FIRSTPRINT_RAW_FILES: "s3",
      FIRSTPRINT_S3_URL: "https://s3.example/raw/of/ours",
      FIRSTPRINT_S3_REGION: "eu-1",
      ...s3Key,
    },
    { raw: { ...s3, url: "https://s3.example/raw/of/ours", region: "eu-1", takesNew: true } },
  ],
  [
    { DATABASE_URL: "postgres://db/firstprint", FIRSTPRINT_STORAGE: "managed" },
    { databaseUrl: "postgres://db/firstprint", storage: "managed" },
  ],
  [{ FIRSTPRINT_KYC: "sandbox" }, { kyc: "sandbox" }],
  [{ FIRSTPRINT_ARCHIVE: "kept" }, { archive: resolve("kept") }],
  [
    { FIRSTPRINT_ARCHIVE: "/kept", FIRSTPRINT_ARCHIVE_DAYS: "0" },
    { archive: "/kept", archiveDays: 0 },
  ],
  [{ FIRSTPRINT_PARTITION_ENTRIES: "4096" }, { partitionEntries: 4_096 }],
  [
    { FIRSTPRINT_ARCHIVE: "https://s3.example/old/entries", ...s3Key },
    { archive: { ...s3, url: "https://s3.example/old/entries" } },
  ],
  [
    { FIRSTPRINT_ARCHIVE: "http://127.0.0.1:9000/old", FIRSTPRINT_S3_REGION: "eu-1", ...s3Key },
    { archive: { ...s3, url: "http://127.0.0.1:9000/old", region: "eu-1" } },
  ],
  [{ FIRSTPRINT_PRICE_MODEL: "hmr-t4" }, { priceModel: "hmr-t4" }],
  [{ PORT: "0" }, { port: 0 }],
  [{ PORT: "65535" }, { port: 65_535 }],
  [{ DATABASE_URL: "postgres://db/firstprint" }, { databaseUrl: "postgres://db/firstprint" }],
  [{ DATABASE_URL: "postgresql://db" }, { databaseUrl: "postgresql://db" }],
  [
    {
      DATABASE_URL: "postgres://a,b:1/db?target_session_attrs=read-write",
      FIRSTPRINT_REPLICAS: "2",
    },
    { databaseUrl: "postgres://a,b:1/db?target_session_attrs=read-write", replicas: 2 },
  ],
  [{ FIRSTPRINT_DATA_DIR: "/var/lib/x" }, { dataDir: "/var/lib/x" }],
  [{ FIRSTPRINT_DATA_DIR: "here" }, { dataDir: resolve("here") }],
  [{ FIRSTPRINT_ADMIN_SECRET: SECRET }, { adminSecret: SECRET }],
  [{ FIRSTPRINT_SAMPLE: "1" }, { sample: true }],
  [{ FIRSTPRINT_SAMPLE: "0" }, { sample: false }],
  [{ FIRSTPRINT_CLOCK: "real" }, { clock: "real" }],
  [{ FIRSTPRINT_CLOCK: "sandbox" }, { clock: "sandbox" }],
  [{ FIRSTPRINT_DATA_PROVIDER: "Ünïted Data" }, { dataProvider: "Ünïted Data" }],
  [{ FIRSTPRINT_DATA_PROVIDER: "x".repeat(100) }, { dataProvider: "x".repeat(100) }],
  [{ FIRSTPRINT_PUBLIC_RATE: "1" }, { publicRatePerMinute: 1 }],
  [{ FIRSTPRINT_PUBLIC_RATE: "10000000" }, { publicRatePerMinute: 10_000_000 }],
  [{ FIRSTPRINT_MAX_KEY_RATE: "7" }, { maxKeyRatePerMinute: 7 }],
  [{ FIRSTPRINT_ADDRESS_CONNECTIONS: "7" }, { addressConnections: 7 }],
  [{ FIRSTPRINT_LOCAL_CONNECTIONS: "10000" }, { localConnections: 10_000 }],
  [{ FIRSTPRINT_LOG_LEVEL: "debug" }, { logLevel: "debug" }],
  [{ FIRSTPRINT_OPERATOR_LISTEN: "4601" }, { operatorListen: { port: 4601 } }],
  [{ FIRSTPRINT_OPERATOR_LISTEN: "/run/fp.sock" }, { operatorListen: { path: "/run/fp.sock" } }],
  [
    { FIRSTPRINT_HOSTS: "Exchange.Example., 192.0.2.7 ,[2001:DB8::1]" },
    { hosts: ["exchange.example", "192.0.2.7", "[2001:db8::1]"] },
  ],
  [{ FIRSTPRINT_DOWNLOADS: "d.json" }, { downloads: resolve("d.json") }],
  [{ FIRSTPRINT_DOWNLOADS: "/etc/d.json", FIRSTPRINT_CLOCK: "real" }, { downloads: "/etc/d.json" }],
  [
    { FIRSTPRINT_TRUSTED_PROXIES: "10.0.0.0/8, 127.0.0.1,2001:db8::/32 ,::1" },
    {
      trustedProxies: [
        { address: "10.0.0.0", prefix: 8, family: "ipv4" },
        { address: "127.0.0.1", prefix: 32, family: "ipv4" },
        { address: "2001:db8::", prefix: 32, family: "ipv6" },
        { address: "::1", prefix: 128, family: "ipv6" },
      ],
    },
  ],
  // The command line's own settings may stand in the same environment.
  [{ FIRSTPRINT_URL: "http://localhost:4600", FIRSTPRINT_KEY: "k" }, {}],
  [{ PATH: "/bin", HOME: "/root", firstprint_port: "1" }, {}],
];

test("nothing set is the defaults, and empty is not set", () => {
  assert.deepEqual(readSettings({}), defaults);
  const names = [...taken.flatMap(([environment]) => Object.keys(environment))];
  const empty = Object.fromEntries(names.map((name) => [name, ""]));
  assert.deepEqual(readSettings(empty), defaults);
});

test("each setting is taken, and changes nothing but itself", () => {
  for (const [environment, changed] of taken) {
    assert.deepEqual(readSettings(environment), { ...defaults, ...changed });
  }
});

/** The first is the one to be named. */
const refused: readonly Readonly<Record<string, string>>[] = [
  { FIRSTPRINT_KYC: "automatic" },
  { HOST: "0.0.0.0" },
  { HOST: "::" },
  { HOST: "127.0.0.1.example" },
  { HOST: "exchange.example" },
  { HOST: "10.0.0.11", FIRSTPRINT_PLAIN_HOST: "10.0.0.12" },
  { FIRSTPRINT_PLAIN_HOST: "0.0.0.0" },
  { FIRSTPRINT_PLAIN_HOST: "127.0.0.1", HOST: "127.0.0.1" },
  { FIRSTPRINT_PLAIN_HOST: "::", HOST: "::", FIRSTPRINT_TRUSTED_PROXIES: "10.0.0.2" },
  { FIRSTPRINT_RAW_FILES: "disk" },
  { FIRSTPRINT_RAW_FILES: "s3", ...s3Key },
  { FIRSTPRINT_ARCHIVE_DAYS: "90" },
  { FIRSTPRINT_PARTITION_ENTRIES: "4095" },
  { FIRSTPRINT_ARCHIVE: "https://s3.example/old" },
  { FIRSTPRINT_ARCHIVE: "https://s3.example/old", AWS_ACCESS_KEY_ID: "id" },
  { FIRSTPRINT_ARCHIVE: "http://s3.example/old", ...s3Key },
  { FIRSTPRINT_ARCHIVE: "https://id:secret@s3.example/old", ...s3Key },
  { FIRSTPRINT_ARCHIVE: "s3://old/entries", ...s3Key },
  { FIRSTPRINT_S3_URL: "https://s3.example/raw" },
  { FIRSTPRINT_S3_URL: "http://s3.example/raw", ...s3Key },
  { FIRSTPRINT_S3_URL: "https://s3.example", ...s3Key },
  { FIRSTPRINT_S3_URL: "https://s3.example/raw?x=1", ...s3Key },
  { FIRSTPRINT_S3_URL: "https://user@s3.example/raw", ...s3Key },
  { FIRSTPRINT_STORAGE: "checked" },
  { FIRSTPRINT_STORAGE: "managed" },
  {
    FIRSTPRINT_STORAGE: "managed",
    DATABASE_URL: "postgres://db/firstprint",
    FIRSTPRINT_REPLICAS: "1",
  },
  { FIRSTPRINT_STORAGE: "managed", DATABASE_URL: "postgres://a,b/firstprint" },
  {
    FIRSTPRINT_STORAGE: "managed",
    DATABASE_URL: "postgres://db/firstprint",
    FIRSTPRINT_ROLE: "follower",
  },
  { FIRSTPRINT_PRICE_MODEL: "hmr-t5" },
  { PORT: "46oo" },
  { FIRSTPRINT_ADDRESS_CONNECTIONS: "0" },
  { FIRSTPRINT_LOCAL_CONNECTIONS: "10001" },
  { FIRSTPRINT_LOG_LEVEL: "verbose" },
  { FIRSTPRINT_OPERATOR_LISTEN: "65536" },
  { FIRSTPRINT_HOSTS: "exchange.example:443" },
  { FIRSTPRINT_HOSTS: "[2001:db8::1]:443" },
  { FIRSTPRINT_HOSTS: "https://exchange.example" },
  { FIRSTPRINT_HOSTS: "exchange.example,,other" },
  { FIRSTPRINT_HOSTS: "*.example" },
  { FIRSTPRINT_OPERATOR_LISTEN: "fp.sock" },
  { FIRSTPRINT_OPERATOR_LISTEN: "0.0.0.0:4601" },
  { FIRSTPRINT_OPERATOR_LISTEN: `/${"x".repeat(107)}` },
  { PORT: "65536" },
  { PORT: "-1" },
  { PORT: "1e3" },
  { PORT: "80.0" },
  { PORT: " 80" },
  { DATABASE_URL: "mysql://localhost/firstprint" },
  { DATABASE_URL: "localhost" },
  { FIRSTPRINT_ADMIN_SECRET: SECRET.slice(1) },
  { FIRSTPRINT_SAMPLE: "yes" },
  { FIRSTPRINT_SAMPLE: "2" },
  { FIRSTPRINT_CLOCK: "fast" },
  { FIRSTPRINT_CLOCK: "Real" },
  { FIRSTPRINT_DATA_PROVIDER: 'a "name"' },
  { FIRSTPRINT_DATA_PROVIDER: "a\\b" },
  { FIRSTPRINT_DATA_PROVIDER: "a\nb" },
  { FIRSTPRINT_DATA_PROVIDER: "x".repeat(101) },
  { FIRSTPRINT_PUBLIC_RATE: "0" },
  { FIRSTPRINT_PUBLIC_RATE: "10000001" },
  { FIRSTPRINT_MAX_KEY_RATE: "1e3" },
  { FIRSTPRINT_MAX_KEY_RATE: "0" },
  { FIRSTPRINT_DOWNLOADS: "d.json", FIRSTPRINT_CLOCK: "sandbox" },
  { FIRSTPRINT_TRUSTED_PROXIES: "proxy.example.org" },
  { FIRSTPRINT_TRUSTED_PROXIES: "10.0.0.0/33" },
  { FIRSTPRINT_TRUSTED_PROXIES: "10.0.0.0/08" },
  { FIRSTPRINT_TRUSTED_PROXIES: "10.0.0.0/8,," },
  { FIRSTPRINT_TRUSTED_PROXIES: "10.0.0/8" },
  { FIRSTPRINT_TRUSTED_PROXIES: "::1/129" },
  { FIRSTPRINT_TRUSTED_PROXIES: "fe80::1%eth0" },
  // Everybody would be a proxy, and could say whatever address it likes.
  { FIRSTPRINT_TRUSTED_PROXIES: "0.0.0.0/0" },
  { FIRSTPRINT_TRUSTED_PROXIES: "::/0" },
  { FIRSTPRINT_FOO: "1" },
  { FIRSTPRINT_PORT: "" },
  { FIRSTPRINT_: "1" },
];

test("each mistake is named by its setting, with what it takes", () => {
  for (const environment of refused) {
    const [name = ""] = Object.keys(environment);
    assert.throws(
      () => readSettings(environment),
      (error) =>
        error instanceof SettingsFault &&
        error.message.startsWith(`${name} `) &&
        / must |the settings are FIRSTPRINT_/.test(error.message),
      JSON.stringify(environment),
    );
  }
});

test("a mistake is not told together with a secret", () => {
  const short = "a-short-secret";
  assert.throws(
    () => readSettings({ FIRSTPRINT_ADMIN_SECRET: short }),
    (error) => error instanceof SettingsFault && !error.message.includes(short),
  );
  for (const name of ["FIRSTPRINT_ARCHIVE", "FIRSTPRINT_S3_URL"]) {
    assert.throws(
      () => readSettings({ [name]: `https://id:${short}@s3.example/old`, ...s3Key }),
      (error) => error instanceof SettingsFault && !error.message.includes(short),
    );
  }
});

test("the programs beside a node have the key of its bucket only where the archive is one", () => {
  const place = { FIRSTPRINT_DATA_DIR: "/data", FIRSTPRINT_ARCHIVE: "/kept" };
  const key = { FIRSTPRINT_S3_REGION: "eu-1", ...s3Key };
  const raw = { FIRSTPRINT_S3_URL: "https://s3.example/raw" };
  assert.deepEqual(storeVariables(readSettings({ ...place, ...raw, ...key })), place);
  const bucket = { ...place, FIRSTPRINT_ARCHIVE: "https://s3.example/old", ...key };
  assert.deepEqual(storeVariables(readSettings(bucket)), bucket);
  assert.deepEqual(readSettings(storeVariables(readSettings(bucket))).archive, {
    ...s3,
    url: "https://s3.example/old",
    region: "eu-1",
  });
});

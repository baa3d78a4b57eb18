// The settings of a node, read from the environment once and checked whole.
// Invariant: an unknown or malformed setting stops the start, with its name.
import { isIPv4, isIPv6 } from "node:net";
import { resolve } from "node:path";
import type { StorageKind } from "#core/storage-kind.ts";
import { hostName, isLoopbackHost } from "#http/server/hosts.ts";
import type { Subnet } from "#http/server/origin.ts";
import { readVerifierKey } from "#journal/note.ts";
import { DEFAULT_PRICE_MODEL, type PriceModel, priceModels } from "#pricing/constants.ts";
import { serversIn } from "#storage/hosts.ts";
import type { ObjectPlace } from "#storage/object-place.ts";
import type { WitnessAddress } from "#witness/client.ts";
import { archivePlace } from "./archive-settings.ts";
import { type RawSettings, rawSettings } from "./raw-settings.ts";
import { SettingsFault } from "./settings-fault.ts";

export interface Settings {
  readonly host: string;
  readonly port: number;
  /** Absent = the embedded server under `dataDir`. */
  readonly databaseUrl: string | undefined;
  /** Synchronous standbys that the database must have; undefined = it need not have any. */
  readonly replicas: number | undefined;
  /** Managed: a service hides how it stores, and the operator answers for it. */
  readonly storage: StorageKind;
  readonly dataDir: string;
  /** Where raw files are kept besides the database. */
  readonly raw: RawSettings | undefined;
  /** Whether this node leads or stands by, or only reads. */
  readonly role: "exchange" | "follower";
  /** Where a follower says that orders are taken. */
  readonly leaderUrl: string | undefined;
  readonly adminSecret: string | undefined;
  /** Undefined = the sample is played when the store is empty and embedded. */
  readonly sample: boolean | undefined;
  readonly clock: "real" | "sandbox";
  /** The name in `attribution`; undefined = each provider's own. */
  readonly dataProvider: string | undefined;
  /** Requests a minute for an address without a key. */
  readonly publicRatePerMinute: number;
  /** The highest rate a key may be given. */
  readonly maxKeyRatePerMinute: number;
  /** How KYC inquiries are decided: by operators, or by the sandbox's published rule. */
  readonly kyc: "manual" | "sandbox";
  /** The file that says what is downloaded; undefined = nothing is. */
  readonly downloads: string | undefined;
  /** Connections at once of an address, and of one on this machine or of a proxy. */
  readonly addressConnections: number;
  readonly localConnections: number;
  /** From which weight on the node's log tells. */
  readonly logLevel: LogLevel;
  /** Where the operator's surface and cancels are served besides; undefined = nowhere else. */
  readonly operatorListen: OperatorListen | undefined;
  /** The proxies whose word on the origin of a request counts. */
  readonly trustedProxies: readonly Subnet[];
  /** Host names under which it answers besides those of this machine, in lower case. */
  readonly hosts: readonly string[];
  /** The model of declines. */
  readonly priceModel: PriceModel;
  /** The witnesses that cosign the heads of the transparency log. */
  readonly witnesses: readonly WitnessAddress[];
  /** Where the journal's archive is; undefined = there is none. */
  readonly archive: ObjectPlace | undefined;
  /** Partitions so many days old move into it; undefined = none does. */
  readonly archiveDays: number | undefined;
  /** Of the partitions of the journal that are made from now on; undefined = as they are. */
  readonly partitionEntries: number | undefined;
  /** Networks that webhooks may reach besides public addresses, and without TLS. */
  readonly webhookNetworks: readonly Subnet[];
  readonly downloadNetworks: readonly Subnet[];
}

const logLevels = ["debug", "info", "warn", "error"] as const;
type LogLevel = (typeof logLevels)[number];

/** A port of 127.0.0.1, or the path of a unix socket. */
type OperatorListen = { readonly port: number } | { readonly path: string };

type Environment = Readonly<Record<string, string | undefined>>;

const known = [
  "FIRSTPRINT_PLAIN_HOST",
  "FIRSTPRINT_REPLICAS",
  "FIRSTPRINT_STORAGE",
  "FIRSTPRINT_DATA_DIR",
  "FIRSTPRINT_RAW_FILES",
  "FIRSTPRINT_S3_URL",
  "FIRSTPRINT_S3_REGION",
  "FIRSTPRINT_ROLE",
  "FIRSTPRINT_LEADER_URL",
  "FIRSTPRINT_ADMIN_SECRET",
  "FIRSTPRINT_SAMPLE",
  "FIRSTPRINT_CLOCK",
  "FIRSTPRINT_DATA_PROVIDER",
  "FIRSTPRINT_PUBLIC_RATE",
  "FIRSTPRINT_MAX_KEY_RATE",
  "FIRSTPRINT_KYC",
  "FIRSTPRINT_PRICE_MODEL",
  "FIRSTPRINT_DOWNLOADS",
  "FIRSTPRINT_DOWNLOAD_NETWORKS",
  "FIRSTPRINT_TRUSTED_PROXIES",
  "FIRSTPRINT_HOSTS",
  "FIRSTPRINT_WITNESSES",
  "FIRSTPRINT_WEBHOOK_NETWORKS",
  "FIRSTPRINT_ARCHIVE",
  "FIRSTPRINT_ARCHIVE_DAYS",
  "FIRSTPRINT_PARTITION_ENTRIES",
  "FIRSTPRINT_ADDRESS_CONNECTIONS",
  "FIRSTPRINT_LOCAL_CONNECTIONS",
  "FIRSTPRINT_LOG_LEVEL",
  "FIRSTPRINT_OPERATOR_LISTEN",
  // The command line's own.
  "FIRSTPRINT_URL",
  "FIRSTPRINT_KEY",
];

const MIN_SECRET_LENGTH = 32;
/** 32 random hex digits practically never have fewer. */
const LEAST_DIFFERENT = 8;

/** @throws SettingsFault naming the setting and what it takes */
export function readSettings(environment: Environment): Settings {
  for (const name of Object.keys(environment)) {
    if (name.startsWith("FIRSTPRINT_") && !known.includes(name)) {
      throw new SettingsFault(`${name} is not a setting; the settings are ${known.join(", ")}`);
    }
  }
  const text = (name: string): string | undefined => {
    const value = environment[name];
    return value === "" ? undefined : value;
  };
  const time = clock(text("FIRSTPRINT_CLOCK"));
  return {
    host: host(text),
    port: whole(text("PORT"), "PORT", 0, 65_535) ?? 4600,
    databaseUrl: databaseUrl(text("DATABASE_URL")),
    replicas: replicas(text),
    storage: storage(text),
    ...role(text),
    ...archive(text),
    dataDir: resolve(text("FIRSTPRINT_DATA_DIR") ?? ".firstprint"),
    raw: rawSettings(text),
    adminSecret: adminSecret(text("FIRSTPRINT_ADMIN_SECRET")),
    sample: flag(text("FIRSTPRINT_SAMPLE"), "FIRSTPRINT_SAMPLE"),
    clock: time,
    dataProvider: dataProvider(text("FIRSTPRINT_DATA_PROVIDER")),
    publicRatePerMinute:
      whole(text("FIRSTPRINT_PUBLIC_RATE"), "FIRSTPRINT_PUBLIC_RATE", 1, 10_000_000) ?? 60,
    maxKeyRatePerMinute:
      whole(text("FIRSTPRINT_MAX_KEY_RATE"), "FIRSTPRINT_MAX_KEY_RATE", 1, 10_000_000) ?? 6000,
    kyc: kyc(text("FIRSTPRINT_KYC")),
    priceModel: priceModel(text("FIRSTPRINT_PRICE_MODEL")),
    downloads: downloads(text("FIRSTPRINT_DOWNLOADS"), time),
    addressConnections:
      whole(text("FIRSTPRINT_ADDRESS_CONNECTIONS"), "FIRSTPRINT_ADDRESS_CONNECTIONS", 1, 10_000) ??
      100,
    localConnections:
      whole(text("FIRSTPRINT_LOCAL_CONNECTIONS"), "FIRSTPRINT_LOCAL_CONNECTIONS", 1, 10_000) ??
      5_000,
    logLevel: logLevel(text("FIRSTPRINT_LOG_LEVEL")),
    operatorListen: operatorListen(text("FIRSTPRINT_OPERATOR_LISTEN")),
    trustedProxies: subnets("FIRSTPRINT_TRUSTED_PROXIES", text),
    hosts: hosts(text("FIRSTPRINT_HOSTS")),
    witnesses: witnesses(text("FIRSTPRINT_WITNESSES")),
    webhookNetworks: subnets("FIRSTPRINT_WEBHOOK_NETWORKS", text),
    downloadNetworks: subnets("FIRSTPRINT_DOWNLOAD_NETWORKS", text),
  };
}

function whole(
  text: string | undefined,
  name: string,
  least: number,
  most: number,
): number | undefined {
  if (text === undefined) return undefined;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw new SettingsFault(`${name} must be a whole number from ${least} to ${most}`);
}

function flag(text: string | undefined, name: string): boolean | undefined {
  if (text === undefined) return undefined;
  if (text === "1" || text === "0") return text === "1";
  throw new SettingsFault(`${name} must be 1 or 0`);
}

function clock(text: string | undefined): "real" | "sandbox" {
  if (text === undefined || text === "real") return "real";
  if (text === "sandbox") return "sandbox";
  throw new SettingsFault("FIRSTPRINT_CLOCK must be real or sandbox");
}

function databaseUrl(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  if (!/^postgres(ql)?:\/\//.test(text)) {
    throw new SettingsFault("DATABASE_URL must begin with postgres:// or postgresql://");
  }
  const wanted = /[?&]target_session_attrs=([^&]*)/.exec(text)?.[1] ?? "read-write";
  if (wanted === "read-write" || wanted === "primary") return text;
  throw new SettingsFault(
    "target_session_attrs in DATABASE_URL must be read-write: nobody leads on another server",
  );
}

/** @throws SettingsFault also where the database is our own, which has no standby */
function replicas(text: (name: string) => string | undefined): number | undefined {
  const count = whole(text("FIRSTPRINT_REPLICAS"), "FIRSTPRINT_REPLICAS", 1, 100);
  if (count === undefined || text("DATABASE_URL") !== undefined) return count;
  throw new SettingsFault(
    "FIRSTPRINT_REPLICAS needs a DATABASE_URL: the embedded server has no standby",
  );
}

/** @throws SettingsFault also beside a setting that says the opposite */
function storage(text: (name: string) => string | undefined): StorageKind {
  const said = text("FIRSTPRINT_STORAGE");
  if (said === undefined) return "checked";
  if (said !== "managed") throw new SettingsFault("FIRSTPRINT_STORAGE must be managed, or not set");
  const contradiction = contradictionOfManaged(text);
  if (contradiction === undefined) return said;
  throw new SettingsFault(`FIRSTPRINT_STORAGE must not be managed ${contradiction}`);
}

function contradictionOfManaged(text: (name: string) => string | undefined): string | undefined {
  const url = text("DATABASE_URL");
  if (url === undefined) return "without a DATABASE_URL: the embedded server hides nothing";
  if (serversIn(url).length > 1) {
    return "with several hosts in DATABASE_URL: a managed service has one address that leads";
  }
  if (text("FIRSTPRINT_REPLICAS") !== undefined) {
    return "with FIRSTPRINT_REPLICAS: such a service hides its standbys, too";
  }
  if (text("FIRSTPRINT_ROLE") !== "follower") return undefined;
  return "with FIRSTPRINT_ROLE=follower: the word is the leader's, and the journal has it";
}

/** @throws SettingsFault where others could read what is sent, unless the address is said twice */
function host(text: (name: string) => string | undefined): string {
  const [named = "127.0.0.1", plain] = [text("HOST"), text("FIRSTPRINT_PLAIN_HOST")];
  const isBehindProxy = text("FIRSTPRINT_TRUSTED_PROXIES") !== undefined;
  if (isLoopbackHost(named.toLowerCase()) || isBehindProxy) {
    if (plain === undefined) return named;
    throw new SettingsFault(
      "FIRSTPRINT_PLAIN_HOST must not be set with a HOST of this machine alone, or with " +
        "FIRSTPRINT_TRUSTED_PROXIES: it lets HOST be reached without TLS",
    );
  }
  if (plain === named) return named;
  const how = "a proxy that speaks TLS, named in FIRSTPRINT_TRUSTED_PROXIES";
  if (plain !== undefined) {
    throw new SettingsFault(`HOST is ${named}, so FIRSTPRINT_PLAIN_HOST must be ${named}, too`);
  }
  throw new SettingsFault(
    `HOST must be an address of this machine alone, such as 127.0.0.1, or stand behind ${how}: ` +
      `at ${named} keys would travel unencrypted. Where that is wanted, set ` +
      `FIRSTPRINT_PLAIN_HOST=${named}, too (docs/operating/tls.md)`,
  );
}

function role(text: (name: string) => string | undefined): Pick<Settings, "role" | "leaderUrl"> {
  const [said = "exchange", url] = [text("FIRSTPRINT_ROLE"), text("FIRSTPRINT_LEADER_URL")];
  if (said !== "exchange" && said !== "follower") {
    throw new SettingsFault("FIRSTPRINT_ROLE must be exchange or follower");
  }
  if (said === "follower" && text("DATABASE_URL") === undefined) {
    throw new SettingsFault(
      "FIRSTPRINT_ROLE=follower needs DATABASE_URL: the leader's database, or a replica of it",
    );
  }
  if (url !== undefined && !(/^https?:\/\/[^\s?#]+$/.test(url) && URL.canParse(url))) {
    throw new SettingsFault(
      "FIRSTPRINT_LEADER_URL must be an address such as https://exchange.example",
    );
  }
  if (url !== undefined && said === "exchange") {
    throw new SettingsFault("FIRSTPRINT_LEADER_URL is for FIRSTPRINT_ROLE=follower only");
  }
  return { role: said, leaderUrl: url };
}

/** A batch of appends finds its place in the partition ahead; more would never be old. */
const PARTITION_ENTRIES = [4_096, 100_000_000] as const;

/** Moved partitions need a place; a place without days is one that is only read. */
export function archive(
  text: (name: string) => string | undefined,
): Pick<Settings, "archive" | "archiveDays" | "partitionEntries"> {
  const place = archivePlace(text("FIRSTPRINT_ARCHIVE"), text);
  const days = whole(text("FIRSTPRINT_ARCHIVE_DAYS"), "FIRSTPRINT_ARCHIVE_DAYS", 0, 36_500);
  if (place === undefined && days !== undefined) {
    throw new SettingsFault(
      "FIRSTPRINT_ARCHIVE_DAYS must not be set without FIRSTPRINT_ARCHIVE, the folder or bucket " +
        "that entries move into",
    );
  }
  const [least, most] = PARTITION_ENTRIES;
  const name = "FIRSTPRINT_PARTITION_ENTRIES";
  return {
    archive: place,
    archiveDays: days,
    partitionEntries: whole(text(name), name, least, most),
  };
}

function adminSecret(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  if (text.length < MIN_SECRET_LENGTH) {
    throw new SettingsFault(
      `FIRSTPRINT_ADMIN_SECRET must have at least ${MIN_SECRET_LENGTH} characters`,
    );
  }
  if (new Set(text).size < LEAST_DIFFERENT || repeats(text)) {
    throw new SettingsFault(
      `FIRSTPRINT_ADMIN_SECRET must have at least ${LEAST_DIFFERENT} different characters ` +
        "and must not repeat one piece; use 32 random bytes, for example from " +
        "openssl rand -base64 32",
    );
  }
  return text;
}

/** Whether it is one piece again and again, perhaps cut off at the end. */
function repeats(text: string): boolean {
  for (let length = 1; length <= text.length / 2; length += 1) {
    if (text.slice(length) === text.slice(0, -length)) return true;
  }
  return false;
}

function dataProvider(text: string | undefined): string | undefined {
  if (text === undefined || (text.length <= 100 && !/[\p{Cc}"\\]/u.test(text))) return text;
  throw new SettingsFault(
    "FIRSTPRINT_DATA_PROVIDER must be a name of at most 100 characters without quotes",
  );
}

function kyc(text: string | undefined): "manual" | "sandbox" {
  if (text === undefined || text === "manual") return "manual";
  if (text === "sandbox") return "sandbox";
  throw new SettingsFault("FIRSTPRINT_KYC must be manual or sandbox");
}

function priceModel(text: string | undefined): PriceModel {
  if (text === undefined) return DEFAULT_PRICE_MODEL;
  const model = priceModels.find((name) => name === text);
  if (model !== undefined) return model;
  throw new SettingsFault(`FIRSTPRINT_PRICE_MODEL must be ${priceModels.join(" or ")}`);
}

function logLevel(text: string | undefined): LogLevel {
  if (text === undefined) return "info";
  const level = logLevels.find((name) => name === text);
  if (level !== undefined) return level;
  throw new SettingsFault(`FIRSTPRINT_LOG_LEVEL must be one of ${logLevels.join(", ")}`);
}

/** Refuses downloads on a clock that stands still: today's files would lie in its future. */
function downloads(text: string | undefined, time: Settings["clock"]): string | undefined {
  if (text === undefined) return undefined;
  if (time === "real") return resolve(text);
  throw new SettingsFault("FIRSTPRINT_DOWNLOADS must not be set with FIRSTPRINT_CLOCK=sandbox");
}

function hosts(text: string | undefined): readonly string[] {
  const parts = text === undefined ? [] : text.split(",").map((part) => part.trim());
  return parts.map((part) => {
    const name = hostName(part);
    if (name !== undefined && !/[^\]]*:\d+$/.test(part.replace(/^\[.*\]/, ""))) return name;
    throw new SettingsFault(
      "FIRSTPRINT_HOSTS must be host names or addresses without port, commas between, such as " +
        `exchange.example,192.0.2.7,[2001:db8::1]; "${part.slice(0, 200)}" is none`,
    );
  });
}

/** More would not fit a note. */
const MOST_WITNESSES = 8;

function witnesses(text: string | undefined): readonly WitnessAddress[] {
  const parts = text === undefined ? [] : text.split(",").map((part) => part.trim());
  if (parts.length > MOST_WITNESSES) {
    throw new SettingsFault(`FIRSTPRINT_WITNESSES must name at most ${MOST_WITNESSES}`);
  }
  return parts.map((part) => {
    const [key = "", url = "", ...more] = part.split(/\s+/);
    const isKey = isCosignerKey(key);
    if (isKey && more.length === 0 && /^https?:\/\/[^\s?#]+$/.test(url) && URL.canParse(url)) {
      return { verifierKey: key, url };
    }
    throw new SettingsFault(
      "FIRSTPRINT_WITNESSES must be a witness's verifier key and its address, a blank between, " +
        "as `firstprint witness` prints them, and commas between witnesses; " +
        `"${part.slice(0, 200)}" is none`,
    );
  });
}

function isCosignerKey(text: string): boolean {
  try {
    return readVerifierKey(text).type === 4;
  } catch {
    return false;
  }
}

/** The kernel takes 107 bytes for the path of a socket. */
const LONGEST_SOCKET_PATH_BYTES = 107;

function operatorListen(text: string | undefined): OperatorListen | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return { port: Number(text) };
  if (text.startsWith("/") && Buffer.byteLength(text) <= LONGEST_SOCKET_PATH_BYTES) {
    return { path: text };
  }
  throw new SettingsFault(
    "FIRSTPRINT_OPERATOR_LISTEN must be a port of 127.0.0.1 or the absolute path of a unix " +
      `socket, at most ${LONGEST_SOCKET_PATH_BYTES} bytes long`,
  );
}

const subnets = (name: string, text: (name: string) => string | undefined): readonly Subnet[] =>
  text(name)
    ?.split(",")
    .map((part) => subnet(name, part.trim())) ?? [];

/** An address alone is the network of that address; a network of everybody is refused. */
function subnet(name: string, text: string): Subnet {
  const [address = "", length, ...more] = text.split("/");
  const family = isIPv4(address) ? "ipv4" : isIPv6(address) ? "ipv6" : undefined;
  const most = family === "ipv4" ? 32 : 128;
  const prefix = length === undefined ? most : /^[1-9]\d{0,2}$/.test(length) ? Number(length) : 0;
  const isWhole = more.length === 0 && !address.includes("%") && prefix >= 1 && prefix <= most;
  if (family !== undefined && isWhole) return { address, prefix, family };
  throw new SettingsFault(
    `${name} must be addresses or networks with commas between, such as ` +
      `127.0.0.1,10.0.0.0/8,2001:db8::/32; "${text}" is none`,
  );
}

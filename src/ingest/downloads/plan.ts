// The provider files to fetch, from where and how often: the operator's file, checked whole.
// Invariant: no source lies outside the allow-list, and a field that is wrong is named.
import { readFile } from "node:fs/promises";
import type { BlockList } from "node:net";
import type { IndexKind } from "#base/index-kind.ts";
import { type PrintLevel, type ProviderId, providerIds, providers } from "#prints/release.ts";
import { isForbiddenHost, isLoopbackHost, noNetworks } from "./address-guard.ts";
import { isNamePart, type NamedFile, partsOf } from "./file-name.ts";

export interface DownloadSource extends NamedFile {
  readonly provider: ProviderId;
  readonly index: IndexKind;
  readonly level: PrintLevel;
  readonly everyHours: number;
}

export interface DownloadPlan {
  /** Origins, that is scheme, host and port, that may be contacted; redirects included. */
  readonly allow: ReadonlySet<string>;
  readonly sources: readonly DownloadSource[];
}

export class DownloadPlanFault extends Error {
  override readonly name = "DownloadPlanFault";
}

const MOST_ENTRIES = 100;
const MOST_HOURS = 744;
const MOST_URL_CHARACTERS = 2000;

const sourceFields = ["provider", "index", "level", "url", "dateFrom", "page", "everyHours"];
const fetchedProviders = providerIds.filter((provider) => provider !== "sample");

/** @throws DownloadPlanFault naming the file */
export async function loadDownloadPlan(path: string, networks = noNetworks): Promise<DownloadPlan> {
  try {
    return readDownloadPlan(await readFile(path, "utf8"), networks);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new DownloadPlanFault(`FIRSTPRINT_DOWNLOADS (${path}): ${error.message}`);
  }
}

/** @throws DownloadPlanFault naming the field and what it takes */
export function readDownloadPlan(text: string, networks = noNetworks): DownloadPlan {
  const plan = fieldsOf(parsed(text), "", ["allow", "sources"]);
  const allow = new Set(
    listOf(plan.allow, "allow").map((value, at) => readOrigin(value, at, networks)),
  );
  const sources = listOf(plan.sources, "sources").map((value, at) => readSource(value, at, allow));
  for (const [at, source] of sources.entries()) {
    const duplicate = sources.findIndex(
      (other) =>
        other.index === source.index &&
        other.level === source.level &&
        (!mayHaveSeveral(source) || other.url.href === source.url.href),
    );
    if (duplicate < at) fault(`sources[${at}]`, `has the index and level of sources[${duplicate}]`);
  }
  return { allow, sources };
}

/**
 * Of weather there is a file for each thing that is measured, which only the file says; the metros'
 * vacancy has its history in one file and its year in another.
 */
export const mayHaveSeveral = ({ index, level }: DownloadSource): boolean =>
  index === "weather" || (index === "vacancy" && level === "metro");

function readSource(value: unknown, at: number, allow: ReadonlySet<string>): DownloadSource {
  const name = `sources[${at}]`;
  const fields = fieldsOf(value, name, sourceFields);
  const provider = oneOf(fields.provider, `${name}.provider`, fetchedProviders);
  const { indices, levels } = providers[provider];
  return {
    provider,
    index: oneOf(fields.index, `${name}.index`, indices),
    level: oneOf(fields.level, `${name}.level`, levels),
    ...readNaming(fields, name, allow),
    everyHours: readHours(fields.everyHours, `${name}.everyHours`),
  };
}

/** The date is named beside the file unless it is said where; a page is there or not. */
function readNaming(
  { url: text, dateFrom, page }: Readonly<Record<string, unknown>>,
  name: string,
  allow: ReadonlySet<string>,
): NamedFile {
  const url = readUrl(text, `${name}.url`, allow);
  const parts = partsOf(url);
  const unknown = parts.find((part) => !isNamePart(part));
  if (unknown !== undefined)
    fault(`${name}.url`, `knows {date}, {year} and {yy}, not {${unknown}}`);
  if (partsOf(new URL(url.pathname, url)).length < parts.length) {
    fault(`${name}.url`, "must have {date}, {year} and {yy} in its path alone");
  }
  const isDated = parts.includes("date");
  if (isDated && parts.some((part) => part !== "date")) {
    fault(`${name}.url`, "must have {date} or a year, not both");
  }
  if (!isDated && dateFrom !== undefined) fault(`${name}.dateFrom`, "is for a url with {date}");
  if ((isDated || parts.length === 0) && page !== undefined) {
    fault(`${name}.page`, "is for a url with {year} or {yy}");
  }
  if (isDated) {
    const beside = dateFrom ?? new URL("procdate.txt", url).href;
    return { url, dateFrom: readUrl(beside, `${name}.dateFrom`, allow) };
  }
  return page === undefined ? { url } : { url, page: readUrl(page, `${name}.page`, allow) };
}

function readOrigin(value: unknown, at: number, networks: BlockList): string {
  const name = `allow[${at}]`;
  const url = typeof value === "string" ? URL.parse(value) : null;
  if (url === null || url.origin !== value) {
    return fault(name, "must be scheme, host and port alone, as https://files.example.org");
  }
  const { protocol, hostname } = url;
  const isOwn = isLoopbackHost(hostname) || networks.rules.length > 0;
  if (protocol !== "https:" && !(protocol === "http:" && isOwn)) {
    return fault(
      name,
      "must be https; http is for this machine (localhost) and FIRSTPRINT_DOWNLOAD_NETWORKS alone",
    );
  }
  return isForbiddenHost(url, networks)
    ? fault(name, "must not be a private address outside FIRSTPRINT_DOWNLOAD_NETWORKS")
    : url.origin;
}

function readUrl(value: unknown, name: string, allow: ReadonlySet<string>): URL {
  const isText = typeof value === "string" && value.length <= MOST_URL_CHARACTERS;
  const url = isText ? URL.parse(value) : null;
  if (url === null) return fault(name, `must be an address of ≤ ${MOST_URL_CHARACTERS} characters`);
  if (!allow.has(url.origin)) return fault(name, "must begin with an origin that allow lists");
  if (url.username !== "" || url.password !== "" || url.hash !== "") {
    return fault(name, "must have neither user, password nor #");
  }
  return url;
}

const readHours = (value: unknown, name: string): number =>
  typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= MOST_HOURS
    ? value
    : fault(name, `must be a whole number from 1 to ${MOST_HOURS}`);

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new DownloadPlanFault(error instanceof Error ? `no JSON: ${error.message}` : "no JSON");
  }
}

function fieldsOf(
  value: unknown,
  name: string,
  known: readonly string[],
): Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return fault(name === "" ? "the file" : name, `must be an object of ${known.join(", ")}`);
  }
  for (const field of Object.keys(value)) {
    if (!known.includes(field)) {
      fault(name === "" ? field : `${name}.${field}`, `is no field; they are ${known.join(", ")}`);
    }
  }
  return { ...value };
}

function listOf(value: unknown, name: string): readonly unknown[] {
  const isList = Array.isArray(value) && value.length >= 1 && value.length <= MOST_ENTRIES;
  return isList ? value : fault(name, `must be a list of 1 to ${MOST_ENTRIES}`);
}

const oneOf = <T extends string>(value: unknown, name: string, all: readonly T[]): T =>
  all.find((one) => one === value) ?? fault(name, `must be one of ${all.join(", ")}`);

function fault(name: string, requirement: string): never {
  throw new DownloadPlanFault(`${name} ${requirement}`);
}

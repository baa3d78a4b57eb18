// Stand-ins for the providers' files where these are not at hand: the sample's made-up market in
// the wide layout, for the months and levels that the scenarios ask for, and made-up surveys.
// Invariant: the same path gives the same bytes; no value comes from a provider.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { addMonths, type Month, monthEndMillis, monthOf, parseMonth } from "#base/month.ts";
import { HISTORY_MONTHS } from "#sample/calendar.ts";
import { SampleProvider } from "#sample/provider-files.ts";
import { METHOD_CHANGE } from "#sample/restatement.ts";
import { madeSurvey } from "./made-surveys.ts";

const SEED = 1;
/** The newest month of any file here. */
const newest: Month = monthOf(2025, 9);
const firstMonth = addMonths(newest, 1 - HISTORY_MONTHS);

/** Files up to this month are by the old method of home values, as the providers' are. */
const lastOfOldMethod: Month = monthOf(2022, 12);

const wide = /^(zhvi|zori)\/(state|metro|county|city|neighborhood|zip)\/(\d{4}-\d{2})[^/]*\//;

/** The damage a spreadsheet or a hand has done to the provider's file, by the start of its path. */
const damages: readonly (readonly [string, (text: string) => string])[] = [
  ["zhvi/metro/2025-03-excel", (text) => withDates(withColumn(text), "$2/$3/$1")],
  ["zhvi/metro/2024-03-transposed", transposed],
  ["zhvi/zip/2023-01-harris-tx", (text) => withDates(rounded(text), "$2/$3/$1")],
  ["zori/zip/2023-10", (text) => withDates(rounded(text), "$2/$3/20$1")],
  ["zhvi/county/2022-01", (text) => withDates(withoutZeros(text), "$2/$3/20$1")],
];

/** Set to 1, the tests run on made-up files although the providers' are at hand. */
export const isMadeOnly = process.env.FIRSTPRINT_MADE_FILES === "1";

/** The bytes of a made-up file in the place of the provider's, or undefined: not of this kind. */
export function madeFile(path: string): Buffer | undefined {
  const [, index, level, month = ""] = wide.exec(path) ?? [];
  const lastMonth = parseMonth(month);
  if (index === undefined || lastMonth === undefined) return madeSurvey(path);
  // A state's series cut to another type of region serves for a metro: the exchange knows none.
  const source = level === "metro" ? "state" : level;
  for (const file of new SampleProvider(SEED).files(releaseTo(lastMonth))) {
    if (file.index !== index || file.level !== source) continue;
    const told = index === "zhvi" ? eventful(file.text, lastMonth) : file.text;
    const whole = level === "metro" ? asMetros(told) : told;
    const damage = damages.find(([start]) => path.startsWith(start))?.[1];
    return gzipSync(damage === undefined ? whole : damage(whole));
  }
  return undefined;
}

/** Each later month is a later release, with a scale of its own. */
function releaseTo(lastMonth: Month) {
  const after = Math.min(newest, lastMonth) - lastOfOldMethod;
  const number = after <= 0 ? 0 : METHOD_CHANGE + Math.floor((after * 8) / 34);
  return { number, firstMonth, lastMonth, publishedAtMillis: monthEndMillis(lastMonth) };
}

/** `2024-03-31` as `$1`, `$2`, `$3` without the century and without leading zeros. */
const withDates = (text: string, form: string): string =>
  text.replaceAll(/20(\d\d)-0?(\d+)-0?(\d+)/g, form);

/** Beside its dates, which are refused first, a spreadsheet's file has one damage more. */
const withColumn = (text: string): string =>
  text.replaceAll("\n", ",1.5\n").replace(",1.5\n", ",Average\n");

/** A spreadsheet keeps ten digits of what it shows. */
const rounded = (text: string): string =>
  text.replaceAll(/(?<=,)\d+\.\d+/g, (value) => Number(value).toPrecision(10));

const withoutZeros = (text: string): string => text.replaceAll(/(?<=,)0+(?=\d+,)/g, "");

function transposed(text: string): string {
  const rows = text
    .trimEnd()
    .split("\n")
    .map((line) => line.replaceAll(/"[^"]*"/g, "quoted").split(","));
  const columns = rows[0]?.map((_, place) => rows.map((row) => row[place] ?? "").join(","));
  return `${columns?.join("\n")}\n`;
}

/** Texas falls from this month on, by so much a month: a protection on it pays. */
const fallFrom: Month = monthOf(2024, 8);
const FALL = 0.007;
/**
 * New Jersey stands at this value then, but for a ten-thousandth that each later month's file
 * restates it by; it rises for so many months after it.
 */
const riseFrom: Month = monthOf(2023, 12);
const RISE_FROM_USD = 495_000;
const RISE = 0.0066;
const RISING_MONTHS = 16;
/** Then it all but stands: no provider gives a month the digits of the one before. */
const CALM = 1e-9;
/** Every fourth region is scaled down by the newest file: raw values fall where no home did. */
const RESCALE = 0.97;

/** The sample's calm market with what the scenarios are about. */
const eventful = (text: string, lastMonth: Month): string =>
  texasSecond(text.split("\n"))
    .map((line, at) => {
      if (at === 0 || line === "") return line;
      const cells = line.split(",");
      const scale = at % 4 === 0 && lastMonth === newest ? RESCALE : 1;
      const falls = cells[2] === "Texas" || cells[4] === "TX";
      const anchor = cells[2] === "New Jersey" ? cells.at(riseFrom - lastMonth - 1) : undefined;
      return cells
        .map((cell, place) => {
          const month = addMonths(lastMonth, place - cells.length + 1);
          if (month < firstMonth || cell === "") return cell;
          if (anchor !== undefined)
            return String(risen(month, Number(cell) / Number(anchor), lastMonth));
          const fallen = falls ? (1 - FALL) ** Math.max(0, month - fallFrom) : 1;
          return String(Number(cell) * scale * fallen);
        })
        .join(",");
    })
    .join("\n");

function risen(month: Month, beforeRise: number, lastMonth: Month): number {
  const restatedUsd = RISE_FROM_USD * (1 + (lastMonth - riseFrom) / 10_000);
  if (month <= riseFrom) return restatedUsd * beforeRise;
  const months = month - riseFrom;
  const calm = (1 + CALM) ** Math.max(0, months - RISING_MONTHS);
  return restatedUsd * (1 + RISE) ** Math.min(RISING_MONTHS, months) * calm;
}

/** As in the provider's file, whose regions come by size. */
const texasSecond = (lines: readonly string[]): readonly string[] => [
  ...lines.slice(0, 2),
  ...lines.slice(2).filter((line) => line.includes(",Texas,")),
  ...lines.slice(2).filter((line) => !line.includes(",Texas,")),
];

/** The country first, as in the provider's file; its values are those of the first state. */
const asMetros = (text: string): string =>
  text
    .split("\n")
    .flatMap((line, at) => {
      if (at === 0 || line === "") return [line];
      const [id = "", rank = "", name = "", , , ...values] = line.split(",");
      const metro = [`394${id}`, rank, `"${name} City, TX"`, "msa", "TX", ...values].join(",");
      const country = ["102001", "0", "United States", "country", "", ...values].join(",");
      return at === 1 ? [country, metro] : [metro];
    })
    .join("\n");

let folder: string | undefined;

/** The same as a file that a program can be given; it goes with the process. */
export function madeFileUrl(path: string): URL | undefined {
  const bytes = madeFile(path);
  if (bytes === undefined) return undefined;
  if (folder === undefined) {
    const made = mkdtempSync(join(tmpdir(), "firstprint-made-"));
    process.once("exit", () => rmSync(made, { recursive: true, force: true }));
    folder = made;
  }
  const file = join(folder, path.replaceAll("/", "-"));
  writeFileSync(file, bytes);
  return pathToFileURL(file);
}

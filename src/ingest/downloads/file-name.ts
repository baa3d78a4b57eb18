// The address of a provider's file whose name changes: its date or year, and where that is read.
// Invariant: what is put into a name is digits, so an answer from outside leads to no other folder.
import { DownloadFault } from "./fault.ts";

export interface NamedFile {
  /** Where a word in braces stands, its name changes. */
  readonly url: URL;
  /** Names the date, where `url` has one. */
  readonly dateFrom?: URL;
  /** Links to the newest file, where `url` has a year; without it the years are tried. */
  readonly page?: URL;
}

/** Digits that a name may have in the place of these words. */
const digits = { date: 8, year: 4, yy: 2 } as const;
export type NamePart = keyof typeof digits;

const named = /(?:\{|%7b)([a-z]*)(?:\}|%7d)/gi;

/** The words in braces that the address has, in its path or elsewhere. */
export const partsOf = ({ href }: URL): readonly string[] =>
  [...href.matchAll(named)].map(([, part = ""]) => part);

export const isNamePart = (part: string): part is NamePart => Object.hasOwn(digits, part);

/** The address with digits in the place of its words. */
const withDigits = ({ href }: URL, digitsOf: (part: NamePart) => string): URL =>
  new URL(href.replace(named, (_, part: NamePart) => digitsOf(part)));

/** A short text of a server's, read whole. */
export type ReadText = (url: URL) => Promise<string>;

/**
 * Where the file lies now: one address, or several of which the first that there is counts.
 * @throws DownloadFault where the date or the page does not say it
 */
export async function addressesOf(
  { url, dateFrom, page }: NamedFile,
  readText: ReadText,
  nowMillis: number,
): Promise<readonly URL[]> {
  if (partsOf(url).length === 0) return [url];
  if (dateFrom !== undefined) {
    const date = (await readText(dateFrom)).trim();
    if (!/^(19|20)[0-9]{6}$/.test(date)) {
      throw new DownloadFault("NO_NAME", `${dateFrom.pathname} has no date of eight digits.`);
    }
    return [withDigits(url, () => date)];
  }
  if (page !== undefined) return [newestLink(url, page, await readText(page))];
  const year = new Date(nowMillis).getUTCFullYear();
  return [year, year - 1].map((one) => withYear(url, one));
}

const withYear = (url: URL, year: number): URL =>
  withDigits(url, (part) => String(year).slice(part === "yy" ? -2 : -4));

/** The link of the page that is of the latest year. */
function newestLink(url: URL, page: URL, text: string): URL {
  const pattern = patternOf(url);
  let newest: { readonly year: number; readonly link: URL } | undefined;
  for (const [, double, single, bare] of text.matchAll(
    /\bhref\s*=\s*(?:"([^"]{1,2000})"|'([^']{1,2000})'|([^\s"'>]{1,2000}))/gi,
  )) {
    const link = URL.parse((double ?? single ?? bare ?? "").replaceAll("&amp;", "&"), page.href);
    const found = link === null ? null : pattern.exec(link.href);
    if (link === null || found === null) continue;
    const { year, yy } = found.groups ?? {};
    const of = Number(year ?? `20${yy}`);
    if (of > (newest?.year ?? 0)) newest = { year: of, link };
  }
  if (newest !== undefined) return newest.link;
  throw new DownloadFault("NO_NAME", `${page.origin}${page.pathname} links to no such file.`);
}

/** A part that stands twice is the same both times. */
function patternOf({ href }: URL): RegExp {
  const seen = new Set<string>();
  const parts = href.split(new RegExp(named.source, "gi")).map((part, at) => {
    if (at % 2 === 0) return part.replaceAll(/[^A-Za-z0-9]/g, "\\$&");
    const of = part.toLowerCase();
    if (seen.has(of)) return `\\k<${of}>`;
    seen.add(of);
    return `(?<${of}>[0-9]{${isNamePart(of) ? digits[of] : 0}})`;
  });
  return new RegExp(`^${parts.join("")}$`);
}

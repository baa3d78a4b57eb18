// The guides of `docs/` as the console shows them: Markdown taken apart when the console is built.
// Invariant: a page is text and a few plain elements; a link leads to a page that is there, to a
// place on it, or to an address of the web.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { lexer, type MarkedToken, type Token, type Tokens } from "marked";
import type { GuideLink, Piece } from "./src/screens/docs/contents.ts";

interface Guide extends Omit<GuideLink, "url"> {
  readonly pieces: readonly Piece[];
}

const sections: readonly (readonly [folder: RegExp, title: string])[] = [
  [/^docs\/concepts\//, "Concepts"],
  [/^docs\/reference\//, "Reference"],
  [/^docs\/operating\//, "Operating"],
  [/^docs\/internals\//, "Inside"],
  [/^docs\/decisions\//, "Decisions"],
];
const FIRST_SECTION = "Start";
const first = [
  "docs/start.md",
  "sdk/README.md",
  "docs/architecture.md",
  "docs/glossary.md",
  "CHANGELOG.md",
  "SECURITY.md",
];

/** All guides, in the order they are listed: those that one starts with, then by subject. */
export function guidesOf(checkout: string): readonly Guide[] {
  const inFolders = readdirSync(join(checkout, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => /^[a-z]+\/.*\.md$/.test(name))
    .map((name) => `docs/${name}`)
    .sort();
  const bySection = sections.flatMap(([folder]) => inFolders.filter((file) => folder.test(file)));
  const files = [...first, ...bySection];
  const known = new Map(files.map((file) => [file, nameOf(file)]));
  return files.map((file) => guideOf(checkout, file, known));
}

/** `docs/concepts/rfq.md` as "concepts/rfq", `sdk/README.md` as "sdk". */
const nameOf = (file: string): string =>
  file
    .replace(/^docs\//, "")
    .replace(/\/README\.md$|\.md$/, "")
    .toLowerCase();

function guideOf(checkout: string, file: string, known: ReadonlyMap<string, string>): Guide {
  const tokens = lexer(readFileSync(join(checkout, file), "utf8"));
  const heading = tokens.find((token) => token.type === "heading");
  return {
    name: nameOf(file),
    title: plainOf(heading === undefined ? [] : [heading]) || file,
    section: sections.find(([folder]) => folder.test(file))?.[1] ?? FIRST_SECTION,
    pieces: new Writer(file, known).pieces(tokens),
  };
}

const kinds: ReadonlySet<string> = new Set<MarkedToken["type"]>([
  ...(["blockquote", "br", "checkbox", "code", "codespan", "def", "del", "em", "escape"] as const),
  ...(["heading", "hr", "html", "image", "link", "list", "list_item", "paragraph"] as const),
  ...(["space", "strong", "table", "text"] as const),
]);
const isKnown = (token: Token): token is MarkedToken => kinds.has(token.type);

/** The words of tokens, without their elements. */
const plainOf = (tokens: readonly Token[]): string =>
  tokens
    .filter(isKnown)
    .map((token) => {
      if ("tokens" in token && token.tokens !== undefined) return plainOf(token.tokens);
      return "text" in token ? token.text : "";
    })
    .join("");

/** The id that a heading has, as readers of Markdown give it. */
const anchorOf = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");

class Writer {
  readonly #file: string;
  readonly #known: ReadonlyMap<string, string>;

  constructor(file: string, known: ReadonlyMap<string, string>) {
    this.#file = file;
    this.#known = known;
  }

  pieces(tokens: readonly Token[] = []): Piece[] {
    return tokens.flatMap((token) => {
      if (!isKnown(token)) throw new Error(`${this.#file} holds ${token.type}: ${token.raw}`);
      return this.#pieceOf(token);
    });
  }

  #pieceOf(token: MarkedToken): Piece[] {
    switch (token.type) {
      case "heading": {
        const id = anchorOf(plainOf([token]));
        return [[`h${token.depth}`, { id }, ...this.pieces(token.tokens)]];
      }
      case "paragraph":
        return [["p", {}, ...this.pieces(token.tokens)]];
      case "strong":
      case "em":
      case "del":
      case "blockquote":
        return [[token.type, {}, ...this.pieces(token.tokens)]];
      case "code":
        return [["pre", {}, token.text]];
      case "codespan":
        return [["code", {}, token.text]];
      case "text":
        return token.tokens === undefined ? [token.text] : this.pieces(token.tokens);
      case "list":
        return [[token.ordered ? "ol" : "ul", {}, ...token.items.map((item) => this.#item(item))]];
      case "table":
        return [this.#table(token)];
      case "link":
        return [this.#link(token)];
      case "br":
      case "hr":
        return [[token.type, {}]];
      case "escape":
      case "html":
        return [token.text];
      default:
        return [];
    }
  }

  #item({ tokens }: Tokens.ListItem): Piece {
    return ["li", {}, ...this.pieces(tokens)];
  }

  #table({ header, rows }: Tokens.Table): Piece {
    const cells = (name: "th" | "td", row: readonly Tokens.TableCell[]): Piece[] =>
      row.map(({ tokens }) => {
        const scope = name === "th" ? { scope: "col" } : {};
        return [name, scope, ...this.pieces(tokens)] as const;
      });
    const body = rows.map((row): Piece => ["tr", {}, ...cells("td", row)]);
    const head: Piece = ["thead", {}, ["tr", {}, ...cells("th", header)]];
    return ["table", {}, head, ["tbody", {}, ...body]];
  }

  /** To a page of the console; where there is none, the words alone. */
  #link({ href, tokens }: Tokens.Link): Piece {
    const words = this.pieces(tokens);
    if (/^https?:/.test(href)) return ["a", { href }, ...words];
    if (href.startsWith("/api/")) return ["a", { href, target: "_top" }, ...words];
    const [path = "", anchor = ""] = href.split("#");
    const file = path === "" ? this.#file : normalize(join(dirname(this.#file), path));
    const name = this.#known.get(file);
    if (name === undefined) return ["span", {}, ...words];
    const place = anchor === "" ? "" : `#${anchor}`;
    return ["a", { href: `/docs/guides/${name}${place}` }, ...words];
  }
}

// Prose: sentences with a subject that acts, modules that say what they are for, and no path of the
// machine that somebody worked on.
// Invariant: these rules read text alone, the same in comments, messages, tests and pages.
import type { Rule, TextFile } from "./tidy-tree.ts";

/** SQL is left out: a migration that a database has applied may not change, comments included. */
const isProse = ({ path }: TextFile): boolean =>
  /^(src|tools|bench|test|sdk|console)\/.*\.([cm]?tsx?|txt)$|\.md$/.test(path);

/**
 * A sentence has a subject, which a bare clause ("[who] lacks cash may …") is not; questions are
 * left alone. It is looked for after a full stop, colon or semicolon, at the start of a line, and
 * inside what is opened.
 */
const opening =
  /(?:^[\s/*#>|-]*|^\s*\d+\. |[.:;!?)*] |["'`([*|_] ?)((?:Who|Whom|Whose|What|Which)(?:ever)? )\S/g;

/** The titles of a decision record, and its labels, such as the one about changing our mind. */
const isTitle = (path: string, line: string, at: number): boolean =>
  path.startsWith("docs/decisions/") &&
  (line.startsWith("#") || (at === 2 && line.startsWith("**")));

/** A question may end some lines below; a sentence that never ends is none. */
function isQuestion(lines: readonly string[], line: number, at: number): boolean {
  const rest = [(lines[line] ?? "").slice(at), ...lines.slice(line + 1, line + 8)].join(" ");
  return /[.?!](?=\W*(?:\s|$))/.exec(rest)?.[0] === "?";
}

const plainOpening: Rule = {
  id: "plain-opening",
  check(tree, report) {
    for (const { path, lines } of tree.texts.filter(isProse)) {
      for (const [number, line] of lines.entries()) {
        for (const found of line.matchAll(opening)) {
          const word = found[1] ?? "";
          const at = found.index + found[0].indexOf(word);
          if (isTitle(path, line, at) || isQuestion(lines, number, at)) continue;
          report(
            path,
            number + 1,
            `name the subject that acts: no sentence begins with "${word}…"`,
          );
        }
      }
    }
  },
};

const header: Rule = {
  id: "header",
  check(tree, report) {
    for (const { path, lines } of tree.sources.filter((file) => /^(\w+\/)?src\//.test(file.path))) {
      const end = lines.findIndex((line) => !line.startsWith("//"));
      const invariant = lines.slice(0, end).findIndex((line) => /^\/\/ Invariant: \S/.test(line));
      if (invariant < 1)
        report(path, 1, "start with what the file is for, then a line `// Invariant: …`");
    }
  },
};

/** Joined here so that this file does not hold what it forbids. */
const workplaceWords = [
  `(?<![\\w.~})*-])/(?:${["work", "tmp", "root"].join("|")})/`,
  ["farm", "-"].join(""),
  ["(?<!\\w)\\.lib", "rary\\b"].join(""),
].join("|");

const workplace: Rule = {
  id: "workplace",
  check(tree, report) {
    const pattern = new RegExp(workplaceWords, "i");
    for (const { path, text, lines } of tree.texts) {
      if (!pattern.test(text)) continue;
      for (const [index, line] of lines.entries()) {
        const found = pattern.exec(line)?.[0];
        if (found !== undefined)
          report(path, index + 1, `"${found}" is of this machine: use a path from the checkout`);
      }
    }
  },
};

export const proseRules: readonly Rule[] = [plainOpening, header, workplace];

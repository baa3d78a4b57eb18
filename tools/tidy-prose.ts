// How sentences begin: each has a subject, which a bare clause ("[who] lacks cash may …") is not.
// Invariant: one rule for comments, messages, tests and pages; questions are left alone.
import type { Rule, TextFile } from "./tidy-tree.ts";

/** SQL is left out: a migration that a database has applied may not change, comments included. */
const isProse = ({ path }: TextFile): boolean =>
  /^(src|tools|bench|test|sdk|console)\/.*\.([cm]?tsx?|txt)$|\.md$/.test(path);

/** After a full stop, colon or semicolon, at the start of a line, or inside what is opened. */
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

export const proseRules: readonly Rule[] = [plainOpening];

// How much script a screen may load, measured on what is served.
// Invariant: a screen is counted with all it loads, at once or later, and each chunk once.
import { gzipSync } from "node:zlib";
import type { Plugin, Rolldown } from "vite";

/** In bytes of gzip. */
const FIRST_SCREEN = 25_000;
const MORE_FOR_A_ROUTE = 60_000;

type Chunk = Rolldown.OutputChunk;
type Chunks = ReadonlyMap<string, Chunk>;

/** The chunks that a chunk cannot start without. */
function startOf(name: string, chunks: Chunks): ReadonlySet<string> {
  return loadedBy(name, chunks, ({ imports }) => imports);
}

/** All that it loads beyond the shell, at once or later: the shell itself leads to every screen. */
function wholeOf(name: string, chunks: Chunks, shell: ReadonlySet<string>): ReadonlySet<string> {
  return loadedBy(name, chunks, ({ imports, dynamicImports }) =>
    [...imports, ...dynamicImports].filter((one) => !shell.has(one)),
  );
}

function loadedBy(
  name: string,
  chunks: Chunks,
  next: (chunk: Chunk) => readonly string[],
): ReadonlySet<string> {
  const loaded = new Set<string>();
  const open = [name];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const chunk = chunks.get(at);
    if (chunk === undefined || loaded.has(at)) continue;
    loaded.add(at);
    open.push(...next(chunk));
  }
  return loaded;
}

/** A worker is a file of its own, which its starter names. */
const workersOf = (chunk: Chunk | undefined): readonly string[] =>
  [...(chunk?.viteMetadata?.importedAssets ?? [])].filter((name) => name.endsWith(".js"));

const screenOf = ({ facadeModuleId }: Chunk): string | undefined =>
  /\/src\/screens\/([^/]+)\/screen\.tsx$/.exec(facadeModuleId ?? "")?.[1];

const kilobytes = (bytes: number): string => (bytes / 1000).toFixed(1).padStart(6);

/** Prints what each screen loads, and fails the build where that is more than it may be. */
export function budgets(): Plugin {
  return {
    name: "budgets",
    generateBundle(_options, bundle) {
      const all = Object.values(bundle).filter((one) => one.type === "chunk");
      const chunks: Chunks = new Map(all.map((chunk) => [chunk.fileName, chunk]));
      const bytesOf = new Map(
        Object.values(bundle).map((file) => [
          file.fileName,
          gzipSync(file.type === "chunk" ? file.code : file.source).length,
        ]),
      );
      const sum = (names: Iterable<string>): number =>
        [...names].reduce((bytes, name) => bytes + (bytesOf.get(name) ?? 0), 0);
      const entry = all.find(({ isEntry }) => isEntry);
      if (entry === undefined) return this.error("the console has no entry");
      const shell = startOf(entry.fileName, chunks);
      const lines = [`${kilobytes(sum(shell))} kB  the shell`];
      const over: string[] = [];
      const hold = (what: string, bytes: number, most: number): void => {
        lines.push(`${kilobytes(bytes)} kB  ${what}, at most ${most / 1000}`);
        if (bytes > most) over.push(what);
      };
      for (const chunk of all) {
        const screen = screenOf(chunk);
        if (screen === undefined) continue;
        const start = startOf(chunk.fileName, chunks);
        if (screen === "home") hold("the first screen", sum(start.union(shell)), FIRST_SCREEN);
        const whole = wholeOf(chunk.fileName, chunks, shell);
        const workers = [...whole].flatMap((name) => workersOf(chunks.get(name)));
        hold(`more for ${screen}`, sum(whole.union(new Set(workers))), MORE_FOR_A_ROUTE);
      }
      this.info(`script, gzip:\n${lines.join("\n")}`);
      if (over.length > 0) this.error(`over the budget: ${over.join(", ")}`);
    },
  };
}

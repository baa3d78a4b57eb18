// How much script a screen may load, measured on what is served.
// Invariant: a screen is counted with all it loads, at once or later, and each chunk once.
import { gzipSync } from "node:zlib";
import type { Plugin, Rolldown } from "vite";

/** In bytes of gzip. */
const FIRST_SCREEN = 25_000;
const MORE_FOR_A_ROUTE = 60_000;

type Chunk = Rolldown.OutputChunk;
type Chunks = ReadonlyMap<string, Chunk>;

/** All chunks that a chunk loads; `later` too, or only those that it cannot start without. */
function loadedBy(name: string, chunks: Chunks, later: boolean): ReadonlySet<string> {
  const loaded = new Set<string>();
  const open = [name];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const chunk = chunks.get(next);
    if (chunk === undefined || loaded.has(next)) continue;
    loaded.add(next);
    open.push(...chunk.imports, ...(later ? chunk.dynamicImports : []));
  }
  return loaded;
}

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
      const bytesOf = new Map(all.map(({ fileName, code }) => [fileName, gzipSync(code).length]));
      const sum = (names: Iterable<string>): number =>
        [...names].reduce((bytes, name) => bytes + (bytesOf.get(name) ?? 0), 0);
      const entry = all.find(({ isEntry }) => isEntry);
      if (entry === undefined) return this.error("the console has no entry");
      const shell = loadedBy(entry.fileName, chunks, false);
      const lines = [`${kilobytes(sum(shell))} kB  the shell`];
      const over: string[] = [];
      const hold = (what: string, bytes: number, most: number): void => {
        lines.push(`${kilobytes(bytes)} kB  ${what}, at most ${most / 1000}`);
        if (bytes > most) over.push(what);
      };
      for (const chunk of all) {
        const screen = screenOf(chunk);
        if (screen === undefined) continue;
        const start = loadedBy(chunk.fileName, chunks, false);
        if (screen === "home") hold("the first screen", sum(start.union(shell)), FIRST_SCREEN);
        const whole = loadedBy(chunk.fileName, chunks, true).difference(shell);
        hold(`more for ${screen}`, sum(whole), MORE_FOR_A_ROUTE);
      }
      this.info(`script, gzip:\n${lines.join("\n")}`);
      if (over.length > 0) this.error(`over the budget: ${over.join(", ")}`);
    },
  };
}

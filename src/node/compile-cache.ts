// Where Node keeps the compiled form of modules, for the programs that a node starts beside itself.
import { getCompileCacheDir } from "node:module";
import { dirname } from "node:path";

/** In the form of the environment; Node keeps a folder for each of its versions in it. */
export function compileCache(): Readonly<Record<string, string>> {
  const ofThisVersion = getCompileCacheDir();
  return ofThisVersion === undefined ? {} : { NODE_COMPILE_CACHE: dirname(ofThisVersion) };
}

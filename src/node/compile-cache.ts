// The folder in which Node keeps compiled modules, for programs that a node starts beside itself.
// Invariant: nothing is named where the node itself keeps none.
import { getCompileCacheDir } from "node:module";
import { dirname } from "node:path";

/** In the form of the environment; Node keeps a folder for each of its versions in it. */
export function compileCache(): Readonly<Record<string, string>> {
  const ofThisVersion = getCompileCacheDir();
  return ofThisVersion === undefined ? {} : { NODE_COMPILE_CACHE: dirname(ofThisVersion) };
}

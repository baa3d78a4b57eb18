// Mutants left out, since no test could tell: the words of a message that only a person reads when
// the node stops, and the branch of a union that the compiler has proved nothing reaches.
// Invariant: the condition beside the message is mutated as everything else.
import { declareValuePlugin, PluginKind } from "@stryker-mutator/api/plugin";

/** A property of what may be a syntax node of Babel's, for which StrykerJS gives no types. */
const within = (node: unknown, name: string): unknown =>
  typeof node === "object" && node !== null ? Reflect.get(node, name) : undefined;

/** The second argument of `invariant(condition, message)`. */
const isMessage = (path: object): boolean =>
  within(path, "listKey") === "arguments" &&
  within(path, "key") === 1 &&
  within(within(within(path, "parent"), "callee"), "name") === "invariant";

/** `default: return unreachable(value);` */
function isUnreachable(path: object): boolean {
  const node = within(path, "node");
  if (within(node, "type") !== "SwitchCase" || within(node, "test") !== null) return false;
  const [only] = [within(node, "consequent")].flat();
  const call = within(only, "argument") ?? within(only, "expression");
  return within(within(call, "callee"), "name") === "unreachable";
}

export const untold = declareValuePlugin(PluginKind.Ignore, "untold", {
  shouldIgnore: (path) => (isMessage(path) || isUnreachable(path) ? "no test can tell" : undefined),
});

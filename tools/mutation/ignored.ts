// What is not mutated: the words of a message that only a person reads when the node stops.
// Invariant: the condition beside the message is mutated as everything else.
import { declareValuePlugin, PluginKind } from "@stryker-mutator/api/plugin";

/** The callee's name when this is the message of `invariant(condition, message)`. */
function isMessage(path: object): boolean {
  if (Reflect.get(path, "listKey") !== "arguments" || Reflect.get(path, "key") !== 1) return false;
  const call: unknown = Reflect.get(path, "parent");
  if (typeof call !== "object" || call === null) return false;
  const callee: unknown = Reflect.get(call, "callee");
  return (
    typeof callee === "object" && callee !== null && Reflect.get(callee, "name") === "invariant"
  );
}

export const messageIgnorer = declareValuePlugin(PluginKind.Ignore, "messages", {
  shouldIgnore: (path) => (isMessage(path) ? "words of an invariant" : undefined),
});

// Tells a run of tests what each of its files did: after the usual report, one line of JSON for each
// file that told of a test, so that files that share a process are told apart.
// Invariant: a file without such a line told of no test, or its process ended before its end.
import { resolve } from "node:path";
import { Readable } from "node:stream";
import { spec, type TestEvent } from "node:test/reporters";
import type { Told } from "./test.ts";

export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const told = new Map<string, Told>();
  const add = (file = "", did: "passed" | "failed" | "skipped"): void => {
    const one = told.get(file) ?? { file, passed: 0, failed: 0, skipped: 0 };
    told.set(file, { ...one, [did]: one[did] + 1 });
  };
  async function* watched() {
    for await (const event of events) {
      if (event.type === "test:fail") add(event.data.file, "failed");
      // Of a file without a test Node tells that the file itself has passed.
      if (event.type === "test:pass" && resolve(event.data.name) !== event.data.file) {
        add(event.data.file, event.data.skip ? "skipped" : "passed");
      }
      yield event;
    }
  }
  yield* Readable.from(watched()).compose(spec());
  for (const one of told.values()) yield `# told ${JSON.stringify(one)}\n`;
}

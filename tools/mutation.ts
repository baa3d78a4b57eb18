import { Stryker } from "@stryker-mutator/core";
import { globSync } from "node:fs";
const houseTests = [
  ...["base", "contract", "core", "prints"].flatMap((room) =>
    globSync(`test/${room}/*.test.ts`).filter((path) => !path.includes(".long.")).sort(),
  ),
  "test/scenarios/scenarios.test.ts",
];
const options = {
  testRunner: "house",
  plugins: ["./tools/mutation/runner.ts"],
  ignorers: ["messages"],
  mutate: process.argv.slice(2),
  coverageAnalysis: "perTest" as const,
  concurrency: 2,
  reporters: ["progress-append-only", "clear-text", "json"],
  tsconfigFile: "none",
  timeoutMS: 60000,
  tempDirName: "/tmp/stryker-mutation",
  ignorePatterns: ["docs", "bench"],
  jsonReporter: { fileName: "/tmp/stryker-report.json" },
  clearTextReporter: { logTests: false, allowColor: false, allowEmojis: false },
  house: { sources: process.argv.slice(2).flatMap((p) => globSync(p)), tests: houseTests },
};
await new Stryker(options).runMutationTest();

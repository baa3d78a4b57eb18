// StrykerJS's test runner for this house: node:test files, loaded once into a process and run again
// for each mutant, only those tests that reach it, the quick ones first.
// Invariant: nothing of a mutant outlives its run but what a module keeps, and a mutant that acts
// while modules load has a process of its own.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import {
  INSTRUMENTER_CONSTANTS,
  type InstrumenterContext,
  type StrykerOptions,
} from "@stryker-mutator/api/core";
import { commonTokens, declareClassPlugin, PluginKind, tokens } from "@stryker-mutator/api/plugin";
import {
  type DryRunResult,
  DryRunStatus,
  type MutantRunOptions,
  type MutantRunResult,
  MutantRunStatus,
  type TestResult,
  type TestRunner,
  TestStatus,
} from "@stryker-mutator/api/test-runner";
import fc from "fast-check";
import { untold } from "./ignored.ts";
import { type CollectedTest, runBody, takeCollected } from "./node-test.ts";

/** Sources with mutants, and test files, by their paths in the checkout. */
type House = { readonly sources: readonly string[]; readonly tests: readonly string[] };

/** The options of tools/mutation.ts beside StrykerJS's own. */
function houseOf(options: StrykerOptions): House {
  const house: unknown = Reflect.get(options, "house");
  assert.ok(isHouse(house), "the options name sources and tests");
  return house;
}

const isHouse = (value: unknown): value is House =>
  typeof value === "object" && value !== null && "sources" in value && "tests" in value;

type LoadedTest = CollectedTest & { readonly id: string; readonly fileName: string };

/** The cost of a test without a mutant. */
type Cost = { readonly checks: number; readonly cpuMillis: number };

/** In the sandbox: the process of the dry run tells the others. */
const costsFile = "test-costs.json";

/** A test that checks so much oftener which mutant is on than without one never ends. */
const TIMES_MORE = 20;
const AT_LEAST = 200_000;

/** Processor time without a mutant; the few tests above it take longer than all others together. */
const SLOW_MILLIS = 150;

/**
 * Instrumented code calls this at each place that can be mutated, to ask which mutant is on.
 * Counting the questions tells a loop without end from a slow machine, which a clock cannot.
 */
class Watch {
  active: string | undefined;
  checks = 0;
  #limit = Number.POSITIVE_INFINITY;
  readonly context: InstrumenterContext = {};

  constructor() {
    Object.defineProperty(this.context, INSTRUMENTER_CONSTANTS.ACTIVE_MUTANT, {
      get: () => this.#asked(),
    });
    Reflect.set(globalThis, INSTRUMENTER_CONSTANTS.NAMESPACE, this.context);
  }

  begin(limit: number): void {
    this.checks = 0;
    this.#limit = limit;
  }

  get exceeded(): boolean {
    return this.checks > this.#limit;
  }

  #asked(): string | undefined {
    this.checks += 1;
    if (this.checks > this.#limit) throw new Error("the loop has no end");
    return this.active;
  }
}

const watch = new Watch();

const standIn = new URL("node-test.ts", import.meta.url).href;

class HouseTestRunner implements TestRunner {
  static inject = tokens(commonTokens.options);
  readonly #house: House;
  #tests: Promise<readonly LoadedTest[]> | undefined;

  constructor(options: StrykerOptions) {
    this.#house = houseOf(options);
  }

  /** A module is loaded once a process: Stryker starts another one for a static mutant. */
  capabilities(): { reloadEnvironment: boolean } {
    return { reloadEnvironment: false };
  }

  async dryRun(): Promise<DryRunResult> {
    const results: TestResult[] = [];
    const costs: Record<string, Cost> = {};
    for (const test of await this.#loaded()) {
      watch.context.currentTestId = test.id;
      watch.begin(Number.POSITIVE_INFINITY);
      const before = process.cpuUsage();
      const result = await resultOf(test);
      const { user, system } = process.cpuUsage(before);
      costs[test.id] = { checks: watch.checks, cpuMillis: (user + system) / 1000 };
      results.push(result);
    }
    delete watch.context.currentTestId;
    writeFileSync(costsFile, JSON.stringify(costs));
    const { mutantCoverage = { static: {}, perTest: {} } } = watch.context;
    return { status: DryRunStatus.Complete, tests: results, mutantCoverage };
  }

  async mutantRun(options: MutantRunOptions): Promise<MutantRunResult> {
    const { activeMutant, mutantActivation, testFilter } = options;
    if (mutantActivation === "static") watch.active = activeMutant.id;
    let tests: readonly LoadedTest[];
    try {
      watch.begin(Number.POSITIVE_INFINITY);
      tests = await this.#loaded();
    } catch (error) {
      return killed("loading", String(error), 0);
    }
    watch.active = activeMutant.id;
    try {
      const wanted = testFilter === undefined ? undefined : new Set(testFilter);
      return await firstFailure(tests.filter(({ id }) => wanted?.has(id) ?? true));
    } finally {
      watch.active = undefined;
    }
  }

  #loaded(): Promise<readonly LoadedTest[]> {
    this.#tests ??= load(this.#house);
    return this.#tests;
  }
}

/** Runs them, the quick ones first, until one fails; slow ones only where there is no quick one. */
async function firstFailure(tests: readonly LoadedTest[]): Promise<MutantRunResult> {
  const costs: Record<string, Cost> = JSON.parse(readFileSync(costsFile, "utf8"));
  const costOf = ({ id }: LoadedTest): Cost => costs[id] ?? { checks: 0, cpuMillis: 0 };
  const quick = tests.filter((test) => costOf(test).cpuMillis <= SLOW_MILLIS);
  const ordered = (quick.length > 0 ? quick : tests).toSorted(
    (a, b) => costOf(a).cpuMillis - costOf(b).cpuMillis,
  );
  for (const [ran, test] of ordered.entries()) {
    watch.begin(costOf(test).checks * TIMES_MORE + AT_LEAST);
    const result = await resultOf(test);
    if (watch.exceeded)
      return { status: MutantRunStatus.Timeout, reason: `${test.id} goes on and on` };
    if (result.status === TestStatus.Failed) return killed(test.id, result.failureMessage, ran + 1);
  }
  return { status: MutantRunStatus.Survived, nrOfTests: ordered.length };
}

const killed = (test: string, failureMessage: string, nrOfTests: number): MutantRunResult => ({
  status: MutantRunStatus.Killed,
  killedBy: [test],
  failureMessage,
  nrOfTests,
});

async function load({ sources, tests: files }: House): Promise<readonly LoadedTest[]> {
  // Chance is the same for each mutant, and the smallest counterexample is of no interest here.
  fc.configureGlobal({ seed: 1, endOnFailure: true });
  const hooks = registerHooks({
    resolve: (specifier, context, next) =>
      specifier === "node:test"
        ? { url: standIn, shortCircuit: true, format: "module-typescript" }
        : next(specifier, context),
  });
  const open = (file: string) => import(pathToFileURL(resolve(file)).href);
  for (const file of sources) await open(file);
  // Code that a test file calls while it loads does not make a mutant static, which costs a
  // process.
  const { context } = watch;
  context.currentTestId = "loading";
  const tests: LoadedTest[] = [];
  for (const file of files) {
    await open(file);
    const fileName = relative(process.cwd(), file);
    for (const test of takeCollected())
      tests.push({ ...test, fileName, id: `${fileName}: ${test.name}` });
  }
  hooks.deregister();
  delete context.currentTestId;
  delete context.mutantCoverage?.perTest.loading;
  return tests;
}

async function resultOf(test: LoadedTest): Promise<TestResult> {
  const { id, name, fileName } = test;
  if (test.skip) return { id, name, fileName, timeSpentMs: 0, status: TestStatus.Skipped };
  const start = performance.now();
  const spent = () => performance.now() - start;
  try {
    await runBody(test.body);
    return { id, name, fileName, timeSpentMs: spent(), status: TestStatus.Success };
  } catch (error) {
    const failureMessage = error instanceof Error ? error.message : String(error);
    return { id, name, fileName, timeSpentMs: spent(), status: TestStatus.Failed, failureMessage };
  }
}

export const strykerPlugins = [
  declareClassPlugin(PluginKind.TestRunner, "house", HouseTestRunner),
  untold,
];

export const strykerValidationSchema = {
  properties: { house: { type: "object" } },
};

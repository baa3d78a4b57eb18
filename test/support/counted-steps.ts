// The work of a piece of code in steps: each element that it walks, each record that it looks up.
// Invariant: nothing is counted by the product itself, so no walk can be left out, and none costs
// anything outside a test; what was put in place of the language's own is taken out again.

type Method = (this: unknown, ...given: unknown[]) => unknown;

let steps = 0;

const iteratorOf = (iterable: Iterable<unknown>): object =>
  Object.getPrototypeOf(iterable[Symbol.iterator]());

/** One step a call. */
const lookUps: readonly (readonly [object, readonly string[]])[] = [
  [Map.prototype, ["get", "has", "set", "delete"]],
  [Set.prototype, ["has", "add", "delete"]],
  [iteratorOf([]), ["next"]],
  [iteratorOf(new Map()), ["next"]],
  [iteratorOf(new Set()), ["next"]],
];

/** One step an element that is given to the function. */
const walks: readonly (readonly [object, readonly string[]])[] = [
  [
    Array.prototype,
    [
      ...["map", "filter", "flatMap", "forEach", "some", "every", "find", "findLast", "findIndex"],
      ...["findLastIndex", "reduce", "sort", "toSorted"],
    ],
  ],
  [Float64Array.prototype, ["map", "reduce"]],
];

/** One step an element of the array. */
const scans: readonly (readonly [object, readonly string[]])[] = [
  [
    Array.prototype,
    ["includes", "indexOf", "slice", "flat", "concat", "join", "reverse", "toSpliced"],
  ],
];

const countingCalls = (own: Method): Method =>
  function counted(...given) {
    steps += 1;
    return own.apply(this, given);
  };

const countingWalk = (own: Method): Method =>
  function counted(...given) {
    const [ask, ...rest] = given;
    if (typeof ask !== "function") return own.apply(this, given);
    const asked: Method = function step(...element) {
      steps += 1;
      return ask.apply(this, element);
    };
    return own.apply(this, [asked, ...rest]);
  };

const countingScan = (own: Method): Method =>
  function counted(...given) {
    if (Array.isArray(this)) steps += this.length;
    return own.apply(this, given);
  };

interface Replaced {
  readonly of: object;
  readonly name: string;
  readonly own: PropertyDescriptor;
}

function replace(counted: (own: Method) => Method, kinds: typeof lookUps): readonly Replaced[] {
  const replaced: Replaced[] = [];
  for (const [of, names] of kinds) {
    for (const name of names) {
      const own =
        Object.getOwnPropertyDescriptor(of, name) ??
        Object.getOwnPropertyDescriptor(Object.getPrototypeOf(of), name);
      if (own === undefined) continue;
      replaced.push({ of, name, own });
    }
  }
  for (const { of, name, own } of replaced) {
    Object.defineProperty(of, name, { ...own, value: counted(own.value) });
  }
  return replaced;
}

/** The steps that the work takes. It ends before it is answered: none of it may wait. */
export function countSteps(work: () => void): number {
  const replaced = [
    ...replace(countingCalls, lookUps),
    ...replace(countingWalk, walks),
    ...replace(countingScan, scans),
  ];
  steps = 0;
  try {
    work();
    return steps;
  } finally {
    for (const { of, name, own } of replaced) Object.defineProperty(of, name, own);
  }
}

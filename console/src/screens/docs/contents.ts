// The developer's pages as the build writes them: the list of all, and each page in a file.
// Invariant: a page is text and names of elements; nothing in it becomes script or markup.

/** Text, or an element: its name, its attributes, its children. */
export type Piece =
  | string
  | readonly [name: string, attributes: Readonly<Record<string, string>>, ...children: Piece[]];

export interface GuideLink {
  /** `concepts/rfq`, of the address `/docs/guides/concepts/rfq`. */
  readonly name: string;
  readonly title: string;
  readonly section: string;
  /** Of the file that holds its pieces. */
  readonly url: string;
}

export interface OperationLink {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
}

export interface Task {
  readonly title: string;
  /** Of the file that holds its operations. */
  readonly url: string;
  readonly operations: readonly OperationLink[];
}

export interface Contents {
  readonly guides: readonly GuideLink[];
  readonly tasks: readonly Task[];
  /** The same task in three languages, each a whole program. */
  readonly recipe: Readonly<Record<Language, string>>;
  /** When the examples were taken: the exchange's time then, and its newest print's month. */
  readonly taken: { readonly unixSeconds: number; readonly month: string };
}

/** Of this exchange now, in place of the examples' own. */
export interface Now {
  readonly unixSeconds: number;
  /** Of the newest print; undefined where there is none. */
  readonly month: string | undefined;
}

export type Language = "curl" | "TypeScript" | "Python";

/** A parameter, or a field of a body or of an answer. */
export interface Field {
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly words: string;
}

export interface Parameter extends Field {
  readonly place: "path" | "query" | "header";
  readonly example: string;
}

export interface Operation extends OperationLink {
  readonly words: string;
  /** Asks for a key. */
  readonly needsKey: boolean;
  readonly parameters: readonly Parameter[];
  /** Absent where it takes none; an upload's has no fields. */
  readonly body?: {
    readonly type: string;
    readonly example: unknown;
    readonly fields: readonly Field[];
  };
  readonly answer: {
    readonly type: string;
    readonly example: unknown;
    readonly fields: readonly Field[];
  };
  readonly refusals: readonly { readonly status: string; readonly codes: readonly string[] }[];
}

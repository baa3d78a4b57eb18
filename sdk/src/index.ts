// The SDK's entry: everything a program may use stands here.
// Invariant: nothing here needs Node; a browser runs it as it is.
// biome-ignore lint/performance/noBarrelFile: a package has one door
export { type BookOptions, type BookView, followBook } from "./book.ts";
export {
  answered,
  connect,
  type Exchange,
  type ExchangeOptions,
  newIdempotencyKey,
} from "./client.ts";
export { type ExchangeError, ForeignAnswer, NoAnswer, Refused } from "./errors.ts";
export {
  type EventType,
  type Followed,
  follow,
  type StreamChoice,
  type StreamOptions,
} from "./follow.ts";
export { type ErrorCode, errorCodes, type paths, type Schemas } from "./openapi.ts";
export { type Attempt, NotSent, type RetryRule } from "./retry.ts";
export {
  followOwn,
  type OwnEventType,
  type OwnStreamOptions,
  StreamGap,
  type StreamMessage,
} from "./stream.ts";

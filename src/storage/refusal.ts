// The answer of a store that cannot be used as it stands.
// Invariant: a person has to act before a start can succeed; the message says how.

export class StorageRefusal extends Error {
  override readonly name: string = "StorageRefusal";
}

// How a leader knows that entries which it appends are durable.
// Invariant: managed is an operator's word; nothing that the program finds out makes it so.

/** Checked: the leader saw the settings of its store. Managed: a service hides them. */
export type StorageKind = "checked" | "managed";

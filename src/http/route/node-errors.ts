// The refusals of a node that leads no more, or not yet, or never.
// Invariant: a part of the one table in `errors.ts`, which covers every code.
import type { ErrorRule } from "./settlement-errors.ts";

export const nodeRules = {
  LEADER_ONLY: {
    status: 421,
    message:
      "This node is a follower, which only reads; send this request to the leader, which " +
      "details.leader names where this node was told its address",
  },
  NODE_BEHIND: {
    status: 503,
    message: "This node does not know yet what this request asks about; send it again",
    retryable: true,
    retryAfterSeconds: 1,
  },
  NOT_LEADER: {
    status: 503,
    message: "This node is not the active one; nothing was done, send the request again",
    retryable: true,
    retryAfterSeconds: 2,
  },
  STOPPING: {
    status: 503,
    message: "The exchange is stopping; nothing was done, send the request again",
    retryable: true,
    retryAfterSeconds: 5,
  },
} as const satisfies Readonly<Record<string, ErrorRule>>;

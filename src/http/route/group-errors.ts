// Refusals about groups of orders, as the API says them.
// Invariant: each code is of the core's own list.

export const groupRules = {
  GROUP_NOT_FOUND: { status: 404, message: "The account has set no protection for this group" },
  GROUP_TRIPPED: {
    status: 409,
    message:
      "The group's protection has tripped: it takes no orders until the account sends " +
      "POST /api/trading/groups/:group/reset",
  },
  GROUP_CAP: {
    status: 422,
    message:
      "The account has too many groups in use; cancel the orders of one, or set its window to 0",
  },
} as const;

// DELETE /api/trading/keys/:keyId: ends a key of the caller's account, for good.
// Invariant: somebody else's key is answered like an absent one.
import { Type } from "typebox";
import { keyId } from "#base/ids.ts";
import { nothing, type Route, trading } from "../route/route.ts";
import { Done, done } from "./done.ts";

export const revokeKey = (): Route =>
  trading.write({
    method: "DELETE",
    url: "/api/trading/keys/:keyId",
    access: "manage:custody",
    summary: "Revokes a key, for good",
    refusals: ["KEY_NOT_FOUND"],
    params: Type.Object({ keyId: Type.String({ maxLength: 64 }) }),
    body: nothing,
    data: Done,
    toCommand: ({ params }) => ({
      command: { type: "RevokeKey", keyId: keyId(params.keyId.toLowerCase()) },
    }),
    render: () => done,
  });

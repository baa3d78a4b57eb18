// The table of routes: who may call what, and that nothing else is there. Every credential is sent to
// every route in test/http/access.db.test.ts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Type } from "typebox";
import { InvariantBreach } from "#base/invariant.ts";
import { adminPermissions, permissions } from "#core/records.ts";
import { bare, nothing, publicData, type Route } from "#http/route/route.ts";
import { assembleRoutes, PathMethods } from "#http/routes.ts";
import { PublicWorld } from "./public-world.ts";

/** The access each endpoint of the trading surface needs, as the semantics decide it. */
const decided: Readonly<Record<string, string>> = {
  "POST /api/kyc/inquiry": "manage:custody",
  "POST /api/kyc/subject": "manage:custody",
  "GET /api/kyc/status": "read:portfolio",
  "GET /api/kyc/limits": "read:portfolio",
  "POST /api/trading/keys": "manage:custody",
  "GET /api/trading/keys": "read:portfolio",
  "DELETE /api/trading/keys/:keyId": "manage:custody",
  "POST /api/trading/orders": "create:orders",
  "POST /api/trading/orders/batch": "create:orders",
  "POST /api/trading/quotes/mass": "create:orders",
  "DELETE /api/trading/orders/:orderId": "cancel:orders",
  "POST /api/trading/orders/cancel-all": "cancel:orders",
  "GET /api/trading/orders/by-client-id/:clientOrderId": "read:portfolio",
  "PATCH /api/trading/orders/by-client-id/:clientOrderId": "create:orders",
  "DELETE /api/trading/orders/by-client-id/:clientOrderId": "cancel:orders",
  "GET /api/liquidity/tiers": "read:markets",
  "GET /api/liquidity/tiers/:tier": "read:markets",
  "GET /api/liquidity/requirements/:metricType": "read:markets",
  "POST /api/liquidity/validate-position": "read:markets",
  "GET /api/liquidity/margin-health": "read:portfolio",
  "GET /api/liquidity/fee-estimate": "read:markets",
  "GET /api/liquidity/alerts": "read:portfolio",
  "GET /api/trading/certificates/:marketId": "read:oracle",
  "POST /api/trading/acceptances": "create:orders",
  "GET /api/trading/acceptances": "read:portfolio",
  "POST /api/trading/acceptances/preview": "create:orders",
  "GET /api/trading/auctions": "read:portfolio",
  "POST /api/trading/auctions/:auctionId/bids": "create:orders",
  "DELETE /api/trading/auctions/:auctionId/bids": "cancel:orders",
  "GET /api/trading/marks": "read:portfolio",
  "POST /api/trading/marks/:marketId": "create:orders",
  "GET /api/trading/rfqs": "read:portfolio",
  "POST /api/trading/rfqs": "create:orders",
  "GET /api/trading/rfqs/:rfqId": "read:portfolio",
  "DELETE /api/trading/rfqs/:rfqId": "cancel:orders",
  "POST /api/trading/rfqs/:rfqId/quotes": "create:orders",
  "PATCH /api/trading/rfqs/quotes/:quoteId": "create:orders",
  "POST /api/trading/rfqs/:rfqId/accept": "create:orders",
  "GET /api/trading/mandates": "read:portfolio",
  "POST /api/trading/mandates": "create:orders",
  "DELETE /api/trading/mandates": "cancel:orders",
  "GET /api/trading/mandates/:mandateId": "read:portfolio",
  "PATCH /api/trading/mandates/:mandateId": "create:orders",
  "DELETE /api/trading/mandates/:mandateId": "cancel:orders",
  "GET /api/trading/mandates/:mandateId/usage": "read:portfolio",
  "POST /api/trading/mandates/:mandateId/lower": "cancel:orders",
  "GET /api/trading/webhooks": "read:portfolio",
  "POST /api/trading/webhooks": "manage:custody",
  "GET /api/trading/webhooks/:webhookId": "read:portfolio",
  "DELETE /api/trading/webhooks/:webhookId": "manage:custody",
  "POST /api/trading/webhooks/:webhookId/rotate-secret": "manage:custody",
  "POST /api/trading/webhooks/:webhookId/replay": "manage:custody",
  "GET /api/trading/webhooks/:webhookId/deliveries": "read:portfolio",
  "GET /api/trading/acceptances/:acceptanceId": "read:portfolio",
  "POST /api/trading/acceptances/:acceptanceId/payments": "create:orders",
  "GET /api/audit/logs": "read:portfolio",
  "GET /api/audit/search": "read:portfolio",
  "GET /api/trading/stream": "read:portfolio",
  "GET /api/audit/stats": "read:portfolio",
  "POST /api/trading/orders/preview": "create:orders",
  "POST /api/trading/margin/preview": "read:portfolio",
  "PATCH /api/trading/orders/:orderId": "create:orders",
  "POST /api/trading/cancel-after": "cancel:orders",
  "GET /api/trading/protection": "read:portfolio",
  "POST /api/trading/protection": "create:orders",
  "POST /api/trading/protection/reset": "create:orders",
  "GET /api/trading/groups": "read:portfolio",
  "POST /api/trading/groups/:group": "create:orders",
  "POST /api/trading/groups/:group/reset": "create:orders",
  "GET /api/audit/verify": "read:portfolio",
  "GET /api/audit/export": "read:portfolio",
  "POST /api/markets/:id/disputes": "create:orders",
  "GET /api/trading/orders": "read:portfolio",
  "GET /api/trading/orders/:orderId": "read:portfolio",
  "GET /api/trading/fills": "read:portfolio",
  "GET /api/trading/positions": "read:portfolio",
  "GET /api/trading/ledger": "read:portfolio",
  "GET /api/trading/settlements": "read:portfolio",
  "GET /api/trading/account": "read:portfolio",
  "GET /api/trading/statement": "read:portfolio",
};

const place = ({ method, url }: Route): string => `${method} ${url}`;

test("every trading route has the permission that was decided", async (t) => {
  const { routes } = (await PublicWorld.open(t)).world;
  const trading = routes.filter(
    ({ surface, access }) => surface === "trading" || (surface === "events" && access !== "public"),
  );
  assert.deepEqual(
    Object.fromEntries(trading.map((route) => [place(route), route.access])),
    decided,
  );
});

test("every route declares an access its surface knows, a cost, closed shapes", async (t) => {
  const { routes } = (await PublicWorld.open(t)).world;
  const surfaces = new Set(routes.map(({ surface }) => surface));
  assert.deepEqual([...surfaces].toSorted(), [
    "admin",
    "bare",
    "events",
    "page",
    "public",
    "trading",
  ]);
  for (const route of routes) {
    const known: readonly string[] =
      route.surface === "admin" ? [...adminPermissions, "operator", "root"] : permissions;
    const open = ["public", "bare", "page"].includes(route.surface) || route.url === "/api/stream";
    assert.ok(open ? route.access === "public" : known.includes(route.access), place(route));
    assert.ok(Number.isInteger(route.cost) && route.cost >= 0, `${place(route)} has a cost`);
    for (const shape of [route.schemas.body, route.schemas.query]) {
      assert.equal(Reflect.get(shape, "additionalProperties"), false, `${place(route)} is closed`);
    }
  }
});

test("what is not in the table is absent", async (t) => {
  const { world } = await PublicWorld.open(t);
  const { secret } = await world.account("a");
  for (const url of ["/api/liquidity/nothing", "/api/nothing", "/"]) {
    assert.equal((await world.get(url, secret)).statusCode, 404, url);
  }
});

test("two routes for one method and path are our own mistake", () => {
  const route = (url: string): Route =>
    publicData.read({
      url,
      access: "public",
      summary: "For a test",
      params: Type.Object({}),
      query: nothing,
      data: Type.Null(),
      read: () => ({ data: null }),
    });
  assert.throws(() => assembleRoutes([route("/a/:id")], [route("/a/:name")]), InvariantBreach);
  assert.equal(assembleRoutes([route("/a/:id")], [route("/a")]).length, 2);
});

test("the methods of a path are those of its routes, and HEAD beside GET", () => {
  const read = bare.read({
    url: "/a/:id",
    access: "public",
    summary: "For a test",
    params: Type.Object({ id: Type.String() }),
    query: nothing,
    data: Type.Null(),
    read: () => ({ data: null }),
  });
  const paths = new PathMethods([read, { ...read, method: "DELETE" }]);
  assert.deepEqual(paths.allowed("/a/1"), ["GET", "HEAD", "DELETE"]);
  assert.deepEqual(paths.allowed("/a/1/b"), []);
  assert.deepEqual(paths.allowed("/a"), []);
});

// Every operation of the exchange in one list: a node serves them, and the reference tells of them.
// Invariant: the reference and the node cannot have different lists.
import { adminRoutes } from "./admin/routes.ts";
import { identityRoutes } from "./identity.ts";
import { publicRoutes } from "./public/routes.ts";
import type { Route } from "./route/route.ts";
import { statusRoutes } from "./status.ts";
import { tradingRoutes } from "./trading/routes.ts";

const surfaces = [statusRoutes, tradingRoutes, publicRoutes, adminRoutes, identityRoutes] as const;

/** Each surface names its own ports; these are all of them. */
type OperationPorts = Parameters<typeof statusRoutes>[0] &
  Parameters<typeof tradingRoutes>[0] &
  Parameters<typeof publicRoutes>[0] &
  Parameters<typeof adminRoutes>[0] &
  Parameters<typeof identityRoutes>[0];

export const operationRoutes = (ports: OperationPorts): readonly Route[] =>
  surfaces.flatMap((routesOf) => routesOf(ports));

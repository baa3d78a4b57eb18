import { readFileSync } from "node:fs";
import { meetingOrders, openMarket, portOf } from "./exchange.ts";
import { FloodClient } from "./flood.ts";
import { requestText } from "./http-load.ts";

const endings: (() => Promise<void>)[] = [];
const scope = { after: (end: () => Promise<void>) => void endings.push(end) };
const market = await openMarket(scope);
const { exchange } = market;
const orders = await meetingOrders(market);
const cancels = orders.map((order) =>
  requestText(
    "POST",
    "/api/trading/orders/cancel-all",
    {
      authorization: `Bearer ${/Bearer (\S+)/.exec(order)![1]}`,
      "content-type": "application/json",
    },
    "{}",
  ),
);
const status = requestText("GET", "/api/status");
const client = new FloodClient(scope);
const cpu = () => {
  const f = readFileSync(`/proc/${exchange.pid}/stat`, "utf8").split(") ")[1]!.split(" ");
  return (Number(f[11]) + Number(f[12])) * 10;
};
const rss = () => /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${exchange.pid}/status`, "utf8"))?.[1];
const base = { port: portOf(exchange), orders, cancels, status };
const N = process.argv.slice(2).map(Number);
const [overConnections = 64, millis = 10000, factor = 5] = N;
let peak = 0;
const go = async (name: string, f: any) => {
  const c = cpu();
  const t = performance.now();
  const r = await client.run({ ...base, ...f });
  console.log(
    name,
    JSON.stringify(r, (_, v) => (typeof v === "number" ? Math.round(v * 100) / 100 : v)),
    "server cores",
    ((cpu() - c) / (performance.now() - t)).toFixed(2),
    "rss MB",
    Number(rss()) / 1000,
  );
  return r;
};
await go("warm", { connections: 64, millis: 3000, perSecond: null });
for (const connections of [64, 256, 1024]) {
  const r = await go(`peak ${connections}`, { connections, millis: 4000, perSecond: null });
  peak = Math.max(peak, r.goodPerSecond);
}
const r = await go("over", { connections: overConnections, millis, perSecond: factor * peak });
console.log("ratio", r.goodPerSecond / peak);
for (const end of endings.reverse()) await end();

import { Wire } from "#test/e2e/wire.ts";
import { meetingOrders, openMarket, portOf } from "./exchange.ts";
import { LoadClient, requestText } from "./http-load.ts";

const endings: (() => Promise<void>)[] = [];
const scope = { after: (end: () => Promise<void>) => void endings.push(end) };
const market = await openMarket(scope);
const { exchange } = market;
const orders = await meetingOrders(market);
await new LoadClient(scope).run({
  port: portOf(exchange),
  connections: 32,
  millis: 3000,
  requests: orders,
});
const { key } = await exchange.trader("aud", "0", "auditor");
const N = Number(process.argv[2] ?? 500);
for (const path of [
  "/api/audit/logs?limit=1000",
  "/api/trading/orders?limit=200",
  "/api/trading/ledger?limit=200",
]) {
  const statuses: Record<string, number> = {};
  let sample = "";
  let worst = 0;
  const wires = Array.from({ length: N }, () => new Wire(portOf(exchange)));
  await Promise.all(
    wires.map(
      (w) =>
        new Promise<void>((done) => {
          w.ask(
            requestText("GET", path, { authorization: `Bearer ${key}` }),
            performance.now(),
            (h) => {
              statuses[h.status] = (statuses[h.status] ?? 0) + 1;
              worst = Math.max(worst, h.millis);
              if (h.status >= 500) sample = h.text;
              done();
            },
          );
          w.flush();
        }),
    ),
  );
  console.log(path, statuses, worst, sample.slice(0, 900));
  for (const w of wires) w.close();
}
console.log(exchange.output.slice(-1500));
for (const end of endings.reverse()) await end();

// GET /metrics, on the operator's own listener: the numbers of this node, for Prometheus.
// Invariant: no route of the public surface shows it.
import { nothing, type Route, rawFile } from "./route/route.ts";

interface MetricsPort {
  text(): Promise<{ readonly contentType: string; readonly text: string }>;
}

export const showMetrics = (metrics: MetricsPort): Route =>
  rawFile({
    url: "/metrics",
    summary: "The numbers of this node, in the text format of Prometheus",
    params: nothing,
    cost: 0,
    read: async () => {
      const { contentType, text } = await metrics.text();
      return { contentType, bytes: Buffer.from(text), headers: { "cache-control": "no-store" } };
    },
  });

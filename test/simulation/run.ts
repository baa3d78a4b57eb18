import { Simulation } from "./simulation.ts";

for (const seed of process.argv.slice(2)) {
  const t = Date.now();
  try {
    const r = await new Simulation(Number(seed)).run(2000);
    console.log(seed, r.entries, r.head.slice(0, 8), r.words.size, Date.now() - t);
  } catch (e) {
    console.log(seed, e);
  }
}

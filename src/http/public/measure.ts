// The shape of what a value measures, where one is shown that is not in dollars.
// Invariant: as the contract room says it; nothing is put into other words here.
import { Type } from "typebox";

export const Measure = Type.Object(
  {
    series: Type.String(),
    definition: Type.String(),
    unit: Type.String(),
  },
  { title: "Measure" },
);

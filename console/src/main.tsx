// The page's start: looks, then the shell, then the screen that the address names.
// Invariant: nothing is drawn before the looks are there; an unknown address says so.
import "./theme/fonts.css";
import "./theme/theme.css";
import "./theme/parts.css";
import "./theme/stacked.css";
import "./theme/search.css";
import "./theme/text.css";
import "./theme/chart.css";
import { render } from "preact";
import { Shell } from "./shell.tsx";

const root = document.getElementById("console");
if (root !== null) render(<Shell />, root);

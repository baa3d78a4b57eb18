// The frame around every screen: the bar, the way between screens, and the foot.
// Invariant: a screen is loaded when it is gone to; focus and title follow the address.

import { useEffect } from "preact/hooks";
import { ErrorBoundary, LocationProvider, lazy, Route, Router, useLocation } from "preact-iso";
import { Mark } from "./parts/mark.tsx";
import { Note } from "./parts/note.tsx";
import { SignIn } from "./parts/sign-in.tsx";
import { isSignedIn } from "./session.ts";

const Home = lazy(() => import("./screens/home/screen.tsx"));
const Place = lazy(() => import("./screens/place/screen.tsx"));
const Market = lazy(() => import("./screens/market/screen.tsx"));
const Audit = lazy(() => import("./screens/audit/screen.tsx"));
const AuditEntry = lazy(() => import("./screens/audit-entry/screen.tsx"));
const Risk = lazy(() => import("./screens/risk/screen.tsx"));
const Ops = lazy(() => import("./screens/ops/screen.tsx"));
const Desk = lazy(() => import("./screens/desk/screen.tsx"));
const Terms = lazy(() => import("./screens/terms/screen.tsx"));
const Certificate = lazy(() => import("./screens/certificate/screen.tsx"));
const Portfolio = lazy(() => import("./screens/portfolio/screen.tsx"));

export function Shell() {
  return (
    <LocationProvider>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <Bar />
      <Main />
      <footer class="foot">
        <div class="frame">
          <p>
            Money here is simulated. Protection settles on the first published print of an index; it
            is risk transfer between participants and not insurance. Prices shown before an order
            are a model’s reference prices.
          </p>
          <p>
            <a href="/api/docs">API reference</a>
          </p>
        </div>
      </footer>
    </LocationProvider>
  );
}

function Bar() {
  const { path } = useLocation();
  const link = (href: string, words: string, isHere: boolean) => (
    <a href={href} {...(isHere ? { "aria-current": "page" } : {})}>
      {words}
    </a>
  );
  return (
    <header class="bar">
      <div class="frame">
        <a class="wordmark" href="/">
          <Mark />
          Firstprint
        </a>
        <nav aria-label="Screens">
          {link("/", "Places", path === "/" || path.startsWith("/place/"))}
          {link("/portfolio", "Portfolio", path === "/portfolio")}
          {link("/desk", "Desk", path === "/desk")}
          {link("/risk", "Risk", path === "/risk")}
          {link("/audit", "Audit", /^\/audit(?:\/|$)/.test(path))}
          {(isSignedIn.value || path === "/ops") && link("/ops", "Operations", path === "/ops")}
        </nav>
        <div class="bar-end">
          <span class="stamp">Simulated money</span>
          <SignIn />
        </div>
      </div>
    </header>
  );
}

function Main() {
  const { path } = useLocation();
  useEffect(() => {
    window.scrollTo(0, 0);
  }, [path]);
  return (
    <main id="main" tabIndex={-1}>
      <div class="frame">
        <ErrorBoundary>
          <Router>
            <Route path="/" component={Home} />
            <Route path="/place/:id" component={Place} />
            <Route path="/market/:id" component={Market} />
            <Route path="/portfolio" component={Portfolio} />
            <Route path="/risk" component={Risk} />
            <Route path="/ops" component={Ops} />
            <Route path="/desk" component={Desk} />
            <Route path="/terms/:id" component={Terms} />
            <Route path="/certificate/:id" component={Certificate} />
            <Route path="/audit" component={Audit} />
            <Route path="/audit/:sequence" component={AuditEntry} />
            <Route default component={Nowhere} />
          </Router>
        </ErrorBoundary>
      </div>
    </main>
  );
}

const Nowhere = () => (
  <Note title="There is no such page" isScreen>
    <p>
      The address leads nowhere. <a href="/">Start from the map of places.</a>
    </p>
  </Note>
);

// The frame around every screen: the bar, the way between screens, and the foot.
// Invariant: a screen is loaded when it is gone to; focus and title follow the address.

import { useEffect } from "preact/hooks";
import { ErrorBoundary, LocationProvider, lazy, Route, Router, useLocation } from "preact-iso";
import { Mark } from "./parts/mark.tsx";
import { Note } from "./parts/note.tsx";
import { SignIn } from "./parts/sign-in.tsx";
import { isSignedIn } from "./session.ts";

/** Each screen's script comes when it is gone to. */
const screens = [
  ["/", lazy(() => import("./screens/home/screen.tsx"))],
  ["/place/:id", lazy(() => import("./screens/place/screen.tsx"))],
  ["/market/:id", lazy(() => import("./screens/market/screen.tsx"))],
  ["/portfolio", lazy(() => import("./screens/portfolio/screen.tsx"))],
  ["/risk", lazy(() => import("./screens/risk/screen.tsx"))],
  ["/ops", lazy(() => import("./screens/ops/screen.tsx"))],
  ["/desk", lazy(() => import("./screens/desk/screen.tsx"))],
  ["/lender", lazy(() => import("./screens/lender/screen.tsx"))],
  ["/terms/:id", lazy(() => import("./screens/terms/screen.tsx"))],
  ["/certificate/:id", lazy(() => import("./screens/certificate/screen.tsx"))],
  ["/audit", lazy(() => import("./screens/audit/screen.tsx"))],
  ["/audit/:sequence", lazy(() => import("./screens/audit-entry/screen.tsx"))],
  ["/docs/:page*", lazy(() => import("./screens/docs/screen.tsx"))],
] as const;

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
            <a href="/docs">For developers</a>
          </p>
        </div>
      </footer>
    </LocationProvider>
  );
}

const links = [
  ["/", "Places"],
  ["/portfolio", "Portfolio"],
  ["/desk", "Desk"],
  ["/lender", "Lender"],
  ["/risk", "Risk"],
  ["/audit", "Audit"],
  ["/docs", "Docs"],
] as const;

/** A place belongs to the map of places. */
const isWithin = (path: string, href: string): boolean =>
  href === "/" ? /^\/(?:place\/|$)/.test(path) : `${path}/`.startsWith(`${href}/`);

function Bar() {
  const { path } = useLocation();
  const link = ([href, words]: readonly [href: string, words: string]) => (
    <a href={href} {...(isWithin(path, href) ? { "aria-current": "page" } : {})}>
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
          {links.map(link)}
          {(isSignedIn.value || path === "/ops") && link(["/ops", "Operations"])}
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
            {screens.map(([path, screen]) => (
              <Route key={path} path={path} component={screen} />
            ))}
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

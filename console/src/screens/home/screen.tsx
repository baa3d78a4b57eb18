// The first screen: what this is, the search for a place, the map, open markets, releases.
// Invariant: it starts without the map, whose room is kept.
import "./home.css";
import { PlaceSearch } from "../../parts/place-search.tsx";
import { useTitle } from "../../parts/title.ts";
import { MapPanel } from "./map-panel.tsx";
import { OpenMarkets } from "./open-markets.tsx";
import { Releases } from "./releases.tsx";

export default function Home() {
  useTitle("Protection when home values fall");
  return (
    <div class="home">
      <section class="pitch">
        <h1>Protection for when home values fall</h1>
        <p class="lead">
          Choose a place and a month: if its published home value index has fallen by then, you are
          paid by the first number published, with no adjuster and no claim to file.
        </p>
        <PlaceSearch />
        <p class="soft small">
          Pays on the index of a place, not on the price of one house. Money is simulated.
        </p>
      </section>
      <MapPanel />
      <OpenMarkets />
      <Releases />
    </div>
  );
}

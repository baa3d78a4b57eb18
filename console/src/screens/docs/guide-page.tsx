// A guide: the pieces of one page of `docs/`, and the pages beside it.
// Invariant: only the elements that the build names are made, each with the attributes it names.
import { type ComponentChildren, h } from "preact";
import { useEffect } from "preact/hooks";
import { Shown } from "../../parts/note.tsx";
import { useTitle } from "../../parts/title.ts";
import { useReading } from "../../query.ts";
import { Listing, Scrolled } from "./code.tsx";
import type { Contents, GuideLink, Piece } from "./contents.ts";
import { guide } from "./reading.ts";

interface GuideProps {
  readonly link: GuideLink;
  readonly all: Contents;
}

export function GuidePage({ link, all }: GuideProps) {
  useTitle(link.title);
  const reading = useReading(guide, [link.url]);
  useEffect(() => {
    if (reading.state === "ready")
      document.getElementById(location.hash.slice(1))?.scrollIntoView();
  }, [reading]);
  const beside = all.guides.filter(({ section }) => section === link.section);
  return (
    <div class="docs-page">
      <article class="card guide">
        <Shown reading={reading} room="tall">
          {(pieces) => <>{pieces.map(drawn)}</>}
        </Shown>
      </article>
      <nav class="beside" aria-label={link.section}>
        <a href="/docs">All guides and the reference</a>
        <h2>{link.section}</h2>
        <ul>
          {beside.map(({ name, title }) => (
            <li key={name}>
              <a
                href={`/docs/guides/${name}`}
                {...(name === link.name ? { "aria-current": "page" } : {})}
              >
                {title}
              </a>
            </li>
          ))}
        </ul>
      </nav>
    </div>
  );
}

function drawn(piece: Piece): ComponentChildren {
  if (typeof piece === "string") return piece;
  const [name, attributes, ...children] = piece;
  if (name === "pre")
    return (
      <Listing text={children.filter((one) => typeof one === "string").join("")} title="Code" />
    );
  const element = h(name, attributes, children.map(drawn));
  return name === "table" ? (
    <Scrolled kind="sheet" title="Table">
      {element}
    </Scrolled>
  ) : (
    element
  );
}

// The developer's pages: where to begin, guides, and the reference by task.
// Invariant: each page has an address of its own; an unknown one leads back to the list.
import "./docs.css";
import { useRoute } from "preact-iso";
import { Note, Shown } from "../../parts/note.tsx";
import { useTitle } from "../../parts/title.ts";
import { useReading } from "../../query.ts";
import type { Contents } from "./contents.ts";
import { GuidePage } from "./guide-page.tsx";
import { OperationPage } from "./operation-page.tsx";
import { contents } from "./reading.ts";
import { Start } from "./start.tsx";

export default function Docs() {
  const reading = useReading(contents, []);
  const { page = "" } = useRoute().params;
  return (
    <div class="docs">
      <Shown reading={reading} room="tall">
        {(all) => <Page all={all} path={page} />}
      </Shown>
    </div>
  );
}

function Page({ all, path }: { readonly all: Contents; readonly path: string }) {
  if (path === "") return <Start all={all} />;
  const [kind, name] = [path.split("/")[0], path.split("/").slice(1).join("/")];
  const guide = all.guides.find((one) => kind === "guides" && one.name === name);
  if (guide !== undefined) return <GuidePage key={name} link={guide} all={all} />;
  const task = all.tasks.find(
    ({ operations }) => kind === "reference" && operations.some(({ id }) => id === name),
  );
  if (task !== undefined) return <OperationPage key={name} id={name} task={task} all={all} />;
  return <NoPage path={path} />;
}

function NoPage({ path }: { readonly path: string }) {
  useTitle("No such page");
  return (
    <Note title="There is no such page" isScreen>
      <p>
        Nothing is written under “{path}”. <a href="/docs">See what there is.</a>
      </p>
    </Note>
  );
}

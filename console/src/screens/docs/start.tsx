// The developer's first page: a program to copy, the guides, the reference by task; one search.
// Invariant: the search looks at titles and addresses of everything that is listed.
import { useState } from "preact/hooks";
import { useTitle } from "../../parts/title.ts";
import { url } from "../../session.ts";
import { Code } from "./code.tsx";
import type { Contents, GuideLink, OperationLink, Task } from "./contents.ts";

export function Start({ all }: { readonly all: Contents }) {
  useTitle("For developers");
  const [sought, setSought] = useState("");
  const fits = (...texts: readonly string[]): boolean => {
    const text = texts.join(" ").toLowerCase();
    return sought
      .toLowerCase()
      .split(/\s+/)
      .every((word) => text.includes(word));
  };
  const guides = all.guides.filter(({ title, name }) => fits(title, name));
  const tasks = all.tasks
    .map((task) => ({
      ...task,
      operations: task.operations.filter(({ summary, path, method }) =>
        fits(task.title, summary, method, path),
      ),
    }))
    .filter(({ operations }) => operations.length > 0);
  const count = guides.length + tasks.reduce((sum, { operations }) => sum + operations.length, 0);
  return (
    <>
      <header>
        <h1>Build on this exchange</h1>
        <p class="lead">
          Everything that this page shows comes from one HTTP interface, and all of it is yours:
          prices, books and first prints without a key, trading with one.
        </p>
      </header>
      <Recipe all={all} />
      <search class="card">
        <label class="field">
          <span>Search guides and the reference</span>
          <input
            type="search"
            value={sought}
            placeholder="cancel an order, margin, webhooks …"
            onInput={(event) => setSought(event.currentTarget.value)}
          />
        </label>
        <p class="small soft" role="status">
          {sought.trim() === "" ? "" : `${count} pages fit`}
        </p>
      </search>
      <div class="docs-lists">
        <Guides guides={guides} isSought={sought.trim() !== ""} />
        <Reference tasks={tasks} isSought={sought.trim() !== ""} />
      </div>
    </>
  );
}

const Recipe = ({ all: { recipe } }: { readonly all: Contents }) => {
  const here = (text: string): string => text.replaceAll("http://127.0.0.1:4600", url);
  return (
    <section class="card" aria-labelledby="recipe">
      <h2 id="recipe">From a zip code to protection that you hold</h2>
      <p class="soft small">
        A whole program: it finds a place, prices a year, and buys. It asks this exchange, and reads
        your key from <code>FIRSTPRINT_KEY</code>. curl needs jq, TypeScript the{" "}
        <a href="/docs/guides/sdk">SDK</a>, Python nothing.
      </p>
      <Code
        title="Recipe"
        programs={{
          curl: here(recipe.curl),
          TypeScript: here(recipe.TypeScript),
          Python: here(recipe.Python),
        }}
      />
    </section>
  );
};

interface GuidesProps {
  readonly guides: readonly GuideLink[];
  readonly isSought: boolean;
}

function Guides({ guides, isSought }: GuidesProps) {
  const sections = [...new Set(guides.map(({ section }) => section))];
  return (
    <section class="card" aria-labelledby="guides">
      <h2 id="guides">Guides</h2>
      {sections.map((section) => {
        const own = guides.filter((one) => one.section === section);
        return (
          <details key={section} open={isSought || section !== "Decisions"}>
            <summary>
              {section} ({own.length})
            </summary>
            <ul>
              {own.map(({ name, title }) => (
                <li key={name}>
                  <a href={`/docs/guides/${name}`}>{title}</a>
                </li>
              ))}
            </ul>
          </details>
        );
      })}
      {guides.length === 0 && <p class="soft">No guide is called so.</p>}
    </section>
  );
}

interface ReferenceProps {
  readonly tasks: readonly Task[];
  readonly isSought: boolean;
}

const Reference = ({ tasks, isSought }: ReferenceProps) => (
  <section class="card" aria-labelledby="reference">
    <h2 id="reference">Reference by task</h2>
    {tasks.map(({ title, operations }, at) => (
      <details key={title} open={isSought || at < 3}>
        <summary>
          {title} ({operations.length})
        </summary>
        <ul>
          {operations.map((one) => (
            <li key={one.id}>
              <OperationName operation={one} />
            </li>
          ))}
        </ul>
      </details>
    ))}
    {tasks.length === 0 && <p class="soft">No operation is like this.</p>}
    <p class="source">
      The whole interface as data:{" "}
      <a href="/api/docs/openapi.json" target="_top">
        openapi.json
      </a>
      , OpenAPI 3.1; in{" "}
      <a href="/api/docs" target="_top">
        Swagger UI
      </a>
      .
    </p>
  </section>
);

export const OperationName = ({ operation }: { readonly operation: OperationLink }) => (
  <>
    <a href={`/docs/reference/${operation.id}`}>{operation.summary}</a>
    <span class="address">
      {operation.method} {operation.path}
    </span>
  </>
);

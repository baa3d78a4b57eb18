// The module that the build makes: the developer's pages, by an address.
// Invariant: it names one file, and nothing of it is loaded with the name.

/** The address of the file that lists the developer's pages; `console/pages.ts` writes it. */
declare module "virtual:contents" {
  const url: string;
  export default url;
}

/** The address of the file that lists the developer's pages; `console/pages.ts` writes it. */
declare module "virtual:contents" {
  const url: string;
  export default url;
}

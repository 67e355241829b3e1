/** What runs in a page and how it looks, with the digests that its content security policy names. */
export interface PageProgram {
  readonly script: string;
  readonly scriptDigest: string;
  readonly style: string;
  readonly styleDigest: string;
}

/** The build replaces this module: src/page, bundled. Without it, a page is its table. */
export const pageProgram: PageProgram | undefined = undefined;

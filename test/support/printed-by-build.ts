const unbuilt = /kubectl gc is not built in |Cannot find module '[^']*\/dist\//;

/** What a command printed; throws when there was no build to run, so that nobody takes that for its output. */
export function printedByBuild(output: string): string {
  if (unbuilt.test(output)) throw new Error('kubectl gc is not built: run node scripts/build.mjs');
  return output;
}

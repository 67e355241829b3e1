/** Another number in each run of all tests; the same when a file of that run is tried again (scripts/checks). */
export const freshSeed = Number(
  process.env.KUBECTL_GC_FRESH_SEED ?? Math.floor(Math.random() * 1_000_000),
);

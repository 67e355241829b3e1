/**
 * What made inputs are chosen by: fresh ones each time, but in CI always the same, where a change is to be
 * judged, not the day. `variable` repeats an earlier run.
 */
export function inputSeed(variable: string): number {
  const fresh = process.env.CI ? 20_261_122 : Date.now() % 0x7fff_ffff;
  return Number(process.env[variable] ?? fresh);
}

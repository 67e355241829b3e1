/** `count` of the values, in their order; the same seed chooses the same. */
export function sample<T>(values: readonly T[], count: number, seed: number): T[] {
  let state = seed >>> 0;
  const next = () => {
    // mulberry32
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  let needed = count;
  return values.filter((_, at) => {
    const taken = next() * (values.length - at) < needed;
    if (taken) needed -= 1;
    return taken;
  });
}

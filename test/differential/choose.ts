/** Choices that follow from one stream of random numbers. */
export interface Choose {
  chance(probability: number): boolean;
  /** A whole number, both ends included. */
  between(low: number, high: number): number;
  one<T>(list: readonly T[]): T;
}

export function chooser(random: () => number): Choose {
  const between = (low: number, high: number) => low + Math.floor(random() * (high - low + 1));
  return {
    chance: (probability) => random() < probability,
    between,
    one: <T>(list: readonly T[]) => list[between(0, list.length - 1)] as T,
  };
}

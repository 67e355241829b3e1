import type { NodeImages } from './node-images.ts';

/** One image on all nodes together. */
export interface ImageSavings {
  readonly name: string;
  readonly nodes: number;
  readonly totalBytes: number;
  /** Nodes where nothing uses or pins it, and the bytes it takes there. */
  readonly unusedNodes: number;
  readonly unusedBytes: number;
  /** Bytes that go in the next pass for certain, and those that may. */
  readonly removedBytes: number;
  readonly mayBeRemovedBytes: number;
}

/** The same images on many nodes summed up, by what removing them everywhere would save. */
export function imageSavings(nodes: readonly NodeImages[]): ImageSavings[] {
  const sums = new Map<string, Mutable<ImageSavings>>();
  for (const { images } of nodes) {
    const seen = new Set<string>();
    for (const { id, names, sizeBytes, reason, fate } of images) {
      const name = names[0] ?? id ?? '<untagged>';
      const sum = sums.get(name) ?? newSum(name);
      sums.set(name, sum);
      const unused = reason !== 'in-use' && reason !== 'pinned';
      // Two images of one node can have the same name when one of them has lost it.
      const isFirst = !seen.has(name);
      seen.add(name);
      if (isFirst) sum.nodes += 1;
      sum.totalBytes += sizeBytes;
      if (unused && isFirst) sum.unusedNodes += 1;
      if (unused) sum.unusedBytes += sizeBytes;
      if (fate === 'removed') sum.removedBytes += sizeBytes;
      if (fate === 'may-be-removed') sum.mayBeRemovedBytes += sizeBytes;
    }
  }
  return [...sums.values()].sort(
    (a, b) =>
      b.unusedBytes - a.unusedBytes || b.totalBytes - a.totalBytes || (a.name < b.name ? -1 : 1),
  );
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

function newSum(name: string): Mutable<ImageSavings> {
  const counts = { nodes: 0, totalBytes: 0, unusedNodes: 0, unusedBytes: 0 };
  return { name, ...counts, removedBytes: 0, mayBeRemovedBytes: 0 };
}

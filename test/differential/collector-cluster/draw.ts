import type { KubeObject } from '../../../src/kube/record-codec.ts';
import { timestampOf } from '../../../src/kube/time.ts';
import { type Choose, chooser } from '../choose.ts';

export const second = 1000;
export const minute = 60 * second;
export const hour = 60 * minute;
export const day = 24 * hour;

/** What a random cluster is made with. */
export interface Draw extends Choose {
  readonly seed: number;
  /** Epoch milliseconds. */
  readonly now: number;
  /** RFC 3339, so many milliseconds before `now`. */
  ago(milliseconds: number): string;
}

/** An object of which a part of the metadata is made up when it is stored. */
export type Loose = Record<string, unknown> & {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Record<string, unknown> & { readonly name: string };
};

export type Part = (draw: Draw) => Loose[];

export const namespaces = ['clean-a', 'clean-b'];
export const hold = 'example.com/hold';
export const container = { name: 'c', image: 'i' };

/** The same choices every time for one seed. */
export function drawFrom(seed: number, now: number): Draw {
  let state = seed;
  const random = () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
  // Neighbouring seeds begin alike.
  for (let skipped = 0; skipped < 8; skipped++) random();
  return { ...chooser(random), seed, now, ago: (milliseconds) => timestampOf(now - milliseconds) };
}

export function times<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

/** A reference to the controller of an object. */
export function controlledBy({ apiVersion, kind, metadata }: Loose, uid = metadata.uid) {
  const full = { controller: true, blockOwnerDeletion: true };
  return [{ apiVersion, kind, name: metadata.name, uid, ...full }];
}

export function asObjects(loose: readonly Loose[]): KubeObject[] {
  return loose as unknown as KubeObject[];
}

import type { ObjectRecord } from '../../kube/object-record.ts';
import { byCreationAndName } from '../decide.ts';

const alive = new Set(['Pending', 'Running', 'Unknown']);

/** Mirrors isPodTerminated, pkg/controller/podgc/gc_controller.go: no phase counts, too (PG-4). */
export function isTerminated({ facts }: ObjectRecord): boolean {
  return !alive.has(facts?.phase ?? '');
}

export function isEvicted({ facts }: ObjectRecord): boolean {
  return facts?.phase === 'Failed' && facts.reason === 'Evicted';
}

/** Evicted ones first, then the older, then by name; namespaces do not count (PG-6). */
export function byEvictionAndCreation(a: ObjectRecord, b: ObjectRecord): number {
  const evicted = Number(isEvicted(b)) - Number(isEvicted(a));
  if (evicted !== 0) return evicted;
  return byCreationAndName(a, b);
}

export interface Excess {
  readonly terminated: number;
  /** Those that are deleted, in upstream's order. */
  readonly chosen: readonly ObjectRecord[];
  /** Of the chosen and the spared, those that upstream orders by chance (PG-6). */
  readonly tied: ReadonlySet<ObjectRecord>;
}

/** The terminated pods above the threshold (PG-5). */
export function excessOf(pods: readonly ObjectRecord[], threshold: number): Excess {
  const terminated = pods.filter(isTerminated);
  const count = threshold > 0 ? terminated.length - threshold : 0;
  if (count <= 0) return { terminated: terminated.length, chosen: [], tied: new Set() };
  const sorted = terminated.sort(byEvictionAndCreation);
  const [last, next] = [sorted[count - 1], sorted[count]];
  const isTie = last && next && byEvictionAndCreation(last, next) === 0;
  return {
    terminated: sorted.length,
    chosen: sorted.slice(0, count),
    tied: new Set(isTie ? sorted.filter((pod) => byEvictionAndCreation(pod, last) === 0) : []),
  };
}

import type { ObjectRecord } from '../kube/object-record.ts';
import type { Cause, Link } from './link.ts';

/** What a controller that runs does within moments; before that, nothing is wrong. */
const soon = new Set<Cause>([
  'foreground-lost',
  'orphaning',
  'orphaning-lost',
  'dependent-not-collected',
  'object-left',
  'claim-unused',
  'volume-unbound',
  'job-tracking',
  'no-instances-left',
  'namespace-empty',
  'node-gone',
]);

/** Seconds: the pod garbage collector waits 40, and looks every 20; a namespace is tried again within 60. */
const patience = 60;

/** A deletion that has only just begun is not called stuck for what its controllers have yet to do. */
export function stillYoung(links: readonly Link[], record: ObjectRecord, now: number): Link[] {
  const seconds = Math.round((now - Date.parse(record.deletionTimestamp ?? '')) / 1000);
  if (!(seconds < patience)) return [...links];
  return links.map((one) => calmed(one, Math.max(0, seconds)));
}

function calmed(one: Link, seconds: number): Link {
  const links = one.links.map((next) => calmed(next, seconds));
  if (one.state !== 'blocked' || !soon.has(one.cause)) return { ...one, links };
  const { fix: _, ...rest } = one;
  const because = `${one.because}; the deletion began only ${seconds}s ago`;
  return { ...rest, state: 'waiting', because, links };
}

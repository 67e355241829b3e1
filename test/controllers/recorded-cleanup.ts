import { readFileSync } from 'node:fs';
import { type KubeObject, recordOf } from '../../src/kube/record-codec.ts';
import type { Snapshot } from '../../src/snapshot/snapshot.ts';
import { servedTypes, snapshotOf } from '../support/builders.ts';

/** A cluster that a real controller manager has cleaned up. */
export interface CleanedCluster {
  readonly now: number;
  readonly threshold: number;
  readonly before: Snapshot;
  /** What was left, with the phase that a pod had then. */
  readonly left: readonly {
    readonly kind: string;
    readonly name: string;
    readonly phase?: string;
  }[];
}

/** How long the controllers were watched, in milliseconds. */
export const played = 120_000;

export const recordedCleanups = ['cleanup-21', 'cleanup-22', 'cleanup-23'];

export function readCleanup(name: string): CleanedCluster {
  const url = new URL(`../fixtures/recorded/${name}.json`, import.meta.url);
  const { now, cases } = JSON.parse(readFileSync(url, 'utf8'));
  const [{ objects, final, terminatedPodGCThreshold }] = cases;
  const records = (objects as KubeObject[]).map((object) => {
    const type = servedTypes.find(`${object.apiVersion}`, `${object.kind}`);
    if (!type) throw new Error(`nobody serves ${object.kind}`);
    return recordOf(object, type);
  });
  return {
    now: Date.parse(now),
    threshold: terminatedPodGCThreshold,
    before: snapshotOf(records, { observedAt: now }),
    left: final,
  };
}

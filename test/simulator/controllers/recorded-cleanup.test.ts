import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { type KubeObject, recordOf } from '../../../src/kube/record-codec.ts';
import { simulate } from '../../../src/simulator/simulate.ts';
import { servedTypes, snapshotOf } from '../../support/builders.ts';

interface Left {
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly deleting?: boolean;
  readonly finalizers?: readonly string[];
  readonly phase?: string;
  readonly conditions?: readonly { readonly type: string; readonly status: string }[];
}

const recordings = [
  'cleanup-21',
  'cleanup-22',
  'cleanup-23',
  'cleanup-51',
  'cleanup-52',
  'cleanup-53',
];

/** A cluster that a real controller manager cleaned up until nothing changed for 70 seconds. */
function readRecording(name: string) {
  const url = new URL(`../../fixtures/recorded/${name}.json`, import.meta.url);
  const { now, controllers, cases } = JSON.parse(readFileSync(url, 'utf8'));
  const [{ objects, final, terminatedPodGCThreshold }] = cases;
  const settings = {
    controllers: String(controllers).split(','),
    kubelets: false,
    terminatedPodGCThreshold: Number(terminatedPodGCThreshold),
  };
  return { now: String(now), objects: objects as KubeObject[], settings, final: final as Left[] };
}

function recordFor(object: KubeObject): ObjectRecord {
  const type = servedTypes.find(`${object.apiVersion}`, `${object.kind}`);
  if (!type) throw new Error(`nobody serves ${object.kind}`);
  return recordOf(object, type);
}

/** uid to everything that the recording tells of an object. */
function endsOf(objects: readonly Left[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    objects.map(
      ({ kind, name, uid, deleting = false, finalizers = [], phase, conditions = [] }) => {
        const kept = conditions.map(({ type, status }) => `${type}=${status}`).sort();
        const ofPod = kind === 'Pod' ? [phase ?? '', ...kept] : [];
        return [uid, [kind, name, deleting, ...[...finalizers].sort(), ...ofPod].join(' ')];
      },
    ),
  );
}

function leftOf({ type, name, uid, deletionTimestamp, finalizers, facts }: ObjectRecord): Left {
  const { phase = '', conditions = [] } = facts ?? {};
  const isDeleting = deletionTimestamp !== undefined;
  const of = conditions.map((condition) => ({
    type: condition.type,
    status: condition.status ?? '',
  }));
  return { kind: type.kind, name, uid, deleting: isDeleting, finalizers, phase, conditions: of };
}

test.each(recordings)('%s ends as on a real control plane', (name) => {
  const { now, objects, settings, final } = readRecording(name);
  const { objects: left, undetermined } = simulate(
    snapshotOf(objects.map(recordFor)),
    [],
    { ...settings, controllerStartInterval: 4_000 },
    { now: Date.parse(now), start: 'after-requests', duration: 180_000 },
  );
  expect({ left: endsOf(left.map(leftOf)), undetermined }).toEqual({
    left: endsOf(final),
    undetermined: [],
  });
});

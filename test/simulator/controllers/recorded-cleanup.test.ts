import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { type KubeObject, recordOf } from '../../../src/kube/record-codec.ts';
import { simulate } from '../../../src/simulator/simulate.ts';
import { servedTypes, snapshotOf } from '../../support/builders.ts';
import { gcHere } from '../../support/run-here.ts';

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

describe.each(recordings)('%s', (name) => {
  const { now, objects, settings, final } = readRecording(name);

  test('ends as on a real control plane', () => {
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
});

describe('on the command line', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'cleanup-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test.each(recordings)('%s ends the same', async (name) => {
    const { now, objects, settings, final } = readRecording(name);
    const scenario = {
      apiVersion: 'kubectl-gc/v1',
      kind: 'Scenario',
      settings: { ...settings, controllerStartInterval: '4s' },
      start: 'after-requests',
      duration: '3m',
    };
    const [cluster, script] = [join(folder, `${name}.json`), join(folder, `${name}.scenario.json`)];
    writeFileSync(cluster, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
    writeFileSync(script, JSON.stringify(scenario));
    const { code, stdout } = await gcHere(
      `simulate --from ${cluster} --scenario ${script} --now ${now} -o json`,
    );
    const { objects: left, undetermined } = JSON.parse(stdout);
    expect({ code, left: (left as KubeObject[]).map(nameOf).sort(), undetermined }).toEqual({
      code: 0,
      left: final.map((one) => `${one.uid} ${one.deleting ?? false}`).sort(),
      undetermined: [],
    });
  });
});

function nameOf(object: KubeObject): string {
  const { uid, deletionTimestamp } = recordFor(object);
  return `${uid} ${deletionTimestamp !== undefined}`;
}

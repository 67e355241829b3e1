import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import { timestampOf } from '../../src/kube/time.ts';
import type { ForecastReport } from '../../src/output/documents/forecast.ts';
import { startControlPlane } from '../support/control-plane.ts';
import { eventually } from '../support/eventually.ts';
import { gcHere } from '../support/run-here.ts';

const ago = (minutes: number) =>
  timestampOf(Date.now() - minutes * 60_000).replace('Z', '.000000Z');

/** A component's LeaseCandidate, renewed so many minutes ago, or never. */
function candidate(name: string, minutes?: number): KubeObject {
  return {
    apiVersion: 'coordination.k8s.io/v1beta1',
    kind: 'LeaseCandidate',
    metadata: {
      name,
      namespace: 'default',
      uid: `uid-${name}`,
      creationTimestamp: timestampOf(Date.now() - 7_200_000),
    },
    spec: {
      leaseName: 'example',
      binaryVersion: '1.36.0',
      strategy: 'OldestEmulationVersion',
      ...(minutes !== undefined && { renewTime: ago(minutes) }),
    },
  };
}

const objects = [
  candidate('never'),
  candidate('of-yesterday', 1440),
  candidate('just-expired', 31),
  candidate('not-yet', 20),
  candidate('alive', 1),
];

test('the LeaseCandidates that are forecast to go now go in the first pass of an API server (LEASE-6)', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'kubectl-gc-candidates-'));
  const file = join(folder, 'objects.json');
  writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
  const { stdout, stderr } = await gcHere(`forecast --from ${file} -A -o json`, {});
  rmSync(folder, { recursive: true });
  const { items } = JSON.parse(stdout) as ForecastReport;
  const namesOf = (confidence: string) =>
    items.flatMap((item) => (item.confidence === confidence ? [item.object.name] : [])).sort();
  expect([namesOf('certain'), namesOf('likely')], stderr).toEqual([
    ['just-expired', 'never', 'of-yesterday'],
    ['not-yet'],
  ]);
  const plane = await startControlPlane({
    controllers: 'none',
    objects,
    apiServerArgs: [
      '--feature-gates=CoordinatedLeaderElection=true',
      '--runtime-config=coordination.k8s.io/v1beta1=true',
    ],
  });
  try {
    const left = async () => {
      const path = '/apis/coordination.k8s.io/v1beta1/namespaces/default/leasecandidates';
      const list = await plane.get<{ items: KubeObject[] }>(path);
      return list.items.map(({ metadata }) => metadata.name).sort();
    };
    const expired = namesOf('certain');
    const names = await eventually(
      'what has expired is gone',
      async () => {
        const now = await left();
        return now.some((name) => expired.includes(`${name}`)) ? undefined : now;
      },
      90,
    );
    expect(names).toEqual(['alive', 'not-yet']);
  } finally {
    await plane.stop();
  }
});

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import { timestampOf } from '../../src/kube/time.ts';
import type { ForecastReport } from '../../src/questions/forecast/document.ts';
import { eventually } from '../support/eventually.ts';
import { ownControlPlane } from '../support/own-control-plane.ts';
import { gcHere } from '../support/run-here.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const apiVersion = 'coordination.k8s.io/v1beta1';

/** A component's LeaseCandidate, renewed so many minutes ago, or never. */
function candidate(name: string, minutes?: number): KubeObject {
  const ago = (time: number) => timestampOf(Date.now() - time * 60_000);
  const renewTime = minutes && ago(minutes).replace('Z', '.000000Z');
  const lease = { leaseName: 'example', binaryVersion: '1.36.0' };
  return {
    apiVersion,
    kind: 'LeaseCandidate',
    metadata: { name, namespace: 'default', uid: `uid-${name}`, creationTimestamp: ago(120) },
    spec: { ...lease, strategy: 'OldestEmulationVersion', ...(renewTime && { renewTime }) },
  };
}

const objects = [
  candidate('never'),
  candidate('of-yesterday', 1440),
  candidate('just-expired', 31),
  candidate('not-yet', 20),
  candidate('alive', 1),
];
const file = join(temporaryFolder(), 'objects.json');
writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
const plane = await ownControlPlane({
  controllers: 'none',
  objects,
  apiServerArgs: [
    '--feature-gates=CoordinatedLeaderElection=true',
    `--runtime-config=${apiVersion}=true`,
  ],
});

test('the LeaseCandidates that are forecast to go now go in the first pass of an API server (LEASE-6)', async () => {
  const { stdout, stderr } = await gcHere(`forecast --from ${file} -A -o json`, {});
  const { items } = JSON.parse(stdout) as ForecastReport;
  const namesOf = (confidence: string) =>
    items.flatMap((item) => (item.confidence === confidence ? [item.object.name] : [])).sort();
  expect([namesOf('certain'), namesOf('likely')], stderr).toEqual([
    ['just-expired', 'never', 'of-yesterday'],
    ['not-yet'],
  ]);
  const left = await eventually('expired LeaseCandidates deleted', async () => {
    const names = await plane.names(`${apiVersion} LeaseCandidate default/`);
    return names.some((name) => namesOf('certain').includes(name)) ? undefined : names;
  });
  expect(left).toEqual(['alive', 'not-yet']);
});

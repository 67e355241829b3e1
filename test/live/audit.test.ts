import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import type { AuditReport } from '../../src/questions/audit/document.ts';
import { eventually } from '../support/eventually.ts';
import { gcHere } from '../support/run-here.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** An audit of the real API server, and manifests held against it; the real collector is the referee. */
const cluster = sharedControlPlane();
const folder = temporaryFolder();
const namespace = 'audit-static';
const configMaps = `/api/v1/namespaces/${namespace}/configmaps`;
const admin = `--no-config --kubeconfig ${cluster.kubeconfigPath}`;
const gone = '0b5c0000-0000-4000-8000-000000000000';
const manifests = join(folder, 'manifests.yaml');
let living: KubeObject;

beforeAll(async () => {
  await cluster.make(`Namespace ${namespace}`);
  living = await cluster.make(`ConfigMap ${namespace}/living`);
  writeFileSync(manifests, text(String(living.metadata.uid)));
});

const text = (uid: string) => `# A backup
---
# Source: shop/templates/right.yaml
apiVersion: v1
kind: ConfigMap
metadata:
  name: right
  ownerReferences:
  - {apiVersion: v1, kind: ConfigMap, name: living, uid: ${uid}}
---
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: stale   # of the old cluster
  resourceVersion: "12"
  ownerReferences:
  - apiVersion: v1
    kind: ConfigMap
    name: living
    uid: ${gone}   # as it was
---
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: ConfigMap
  metadata: {name: lost, ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: nobody, uid: ${gone}}]}
- apiVersion: v1
  kind: ConfigMap
  metadata: {name: fresh, uid: ${gone.replace('0b', '0c')}}
- apiVersion: v1
  kind: ConfigMap
  metadata: {name: below, ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: fresh, uid: ${gone.replace('0b', '0c')}}]}
- apiVersion: v1
  kind: ConfigMap
  metadata: {name: frozen, ownerReferences: [{apiVersion: extensions/v1beta1, kind: Ingress, name: living, uid: ${gone}}]}
---
apiVersion: policy/v1beta1
kind: PodDisruptionBudget
metadata: {name: old}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: far, namespace: audit-nowhere}
`;

async function report(line: string): Promise<{ code: number; document: AuditReport }> {
  const { code, stdout } = await gcHere(`audit ${line} -o json`);
  return { code, document: JSON.parse(stdout) as AuditReport };
}

test('what would be collected if it were applied here is, and nothing else', async () => {
  const { code, document } = await report(
    `--from ${manifests} --against-cluster -n ${namespace} ${admin}`,
  );
  expect(code).toBe(1);
  expect(
    document.items.map(({ rule, object, consequence, place }) => [
      object.name,
      rule,
      consequence,
      place?.line,
    ]),
  ).toEqual([
    ['far', 'missing-namespace', 'cannot be applied', 43],
    ['below', 'owner-uid-mismatch', 'deleted on the next pass', 32],
    ['lost', 'missing-owner', 'deleted on the next pass', 26],
    ['stale', 'owner-uid-mismatch', 'deleted on the next pass', 12],
    ['old', 'unserved-kind', 'cannot be applied', 39],
    ['frozen', 'unserved-owner-kind', 'never collected', 35],
  ]);
  expect(document.coverage.problems).toEqual([]);
  expect(document.items.every(({ object }) => !object.uid.includes('new'))).toBe(true);

  const applied = await cluster.kubectl(['create', '-f', '-'], {
    kubeconfig: cluster.kubeconfigFor({ token: cluster.adminToken, namespace }),
    input: text(String(living.metadata.uid)).replace('  resourceVersion: "12"\n', ''),
  });
  expect(applied.stderr).toContain('no matches for kind "PodDisruptionBudget"');
  expect(applied.stderr).toContain('namespaces "audit-nowhere" not found');
  const doomed = ['below', 'lost', 'stale'];
  const left = await eventually('the deletions of the collector', async () => {
    const items = await cluster.list(configMaps);
    const names = items.map(({ metadata }) => String(metadata.name));
    return names.some((name) => doomed.includes(name)) ? undefined : names;
  });
  expect(left.filter((name) => name !== 'kube-root-ca.crt')).toEqual([
    'fresh',
    'frozen',
    'living',
    'right',
  ]);
  for (const name of ['fresh', 'frozen', 'right']) {
    await cluster.remove(`${configMaps}/${name}`);
  }
});

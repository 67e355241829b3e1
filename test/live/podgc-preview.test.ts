import { beforeAll, expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import type { PodGcPreview } from '../../src/output/documents/podgc-preview.ts';
import { validDocument } from '../contract/valid-document.ts';
import { permit } from '../support/permissions.ts';
import { gcHere } from '../support/run-here.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';

/** Two pods, one on a Node that exists, asked for by users who may read Nodes and who may not. */
const plane = sharedControlPlane();
const namespace = 'podgc-rights';

const podOn = (nodeName: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: `on-${nodeName}`,
    namespace,
    uid: `podgc-rights-${nodeName}`,
    finalizers: ['e.com/hold'],
  },
  spec: { nodeName, containers: [{ name: 'main', image: 'example.com/main:1' }] },
  status: { phase: 'Running' },
});

beforeAll(async () => {
  await plane.create('/api/v1/namespaces', { metadata: { name: namespace } });
  await plane.create('/api/v1/nodes', { metadata: { name: 'podgc-there' } });
  const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] }];
  await permit(plane, 'pod-reader', rules);
  await plane.putObjects([podOn('podgc-there'), podOn('podgc-gone')]);
});

async function preview(kubeconfig: string): Promise<PodGcPreview> {
  const line = `podgc-preview -n ${namespace} -o json`;
  const { code, stdout, stderr } = await gcHere(line, { KUBECONFIG: kubeconfig });
  expect(code, stderr).toBe(0);
  const report: PodGcPreview = validDocument('podgc-preview', stdout);
  return report;
}

const named = (
  entries: readonly { readonly object: { readonly name: string }; readonly because: string }[],
) => entries.map(({ object, because }) => `${object.name}: ${because}`);

test('who may read Nodes sees which one does not exist', async () => {
  const { items, unknown } = await preview(plane.kubeconfigPath);
  expect([named(items), named(unknown)]).toEqual([
    [
      'on-podgc-gone: it is bound to Node podgc-gone, which does not exist; it stays until e.com/hold is removed',
    ],
    [],
  ]);
});

test('to who may not, it is unknown of both, and neither is listed as going', async () => {
  const { items, unknown, steps, coverage } = await preview(
    plane.kubeconfigFor({ user: 'pod-reader' }),
  );
  const unread = (node: string) =>
    `on-${node}: whether its Node ${node} exists was not read; if it does not, pod garbage collection deletes the pod`;
  expect([named(items), named(unknown).sort()]).toEqual([
    [],
    [unread('podgc-gone'), unread('podgc-there')],
  ]);
  const orphaned = steps.find(({ step }) => step === 'orphaned');
  expect([orphaned?.pods, coverage.complete]).toEqual([0, false]);
  expect(orphaned?.because).toMatch(
    /^0 Nodes that pods name do not exist; whether \d+ more exist was not read$/,
  );
});

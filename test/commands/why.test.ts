import { expect, test } from 'vitest';
import { validDocument } from '../contract/valid-document.ts';
import { gcHere } from '../support/run-here.ts';

/** What people read stands in test/fixtures/transcripts/why.txt. */
const stuck = '--from examples/clusters/stuck.yaml --now 2026-01-31T12:00:00Z';

async function firstOf(line: string) {
  const { code, stdout, stderr } = await gcHere(`why ${line} -o json`);
  expect(code, stderr).toBe(0);
  return validDocument('why', stdout).items[0];
}

test('why names the real blocker in every machine format, as published', async () => {
  const { blockers, fix } = await firstOf(`namespace/orders ${stuck} --complete`);
  expect(blockers).toEqual([
    {
      object: {
        apiVersion: 'v1',
        kind: 'Node',
        namespace: '',
        name: 'worker-2',
        uid: '7c0e3a52-0001-4000-8000-000000000004',
      },
      cause: 'node-not-ready',
      because:
        'node worker-2 is not ready (NodeStatusUnknown: Kubelet stopped posting node status.), so its kubelet does not confirm that the containers stopped',
      next: expect.stringContaining('Bring node worker-2 back.'),
    },
  ]);
  expect(fix).toBe(undefined);
});

test('a fix that was insisted on says so in the document', async () => {
  const line = `configmap/lost -n orders-archive ${stuck} --fix --remove-finalizer finalizer.keda.sh`;
  expect((await firstOf(line)).fix.insisted).toBe(true);
});

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { gcHere } from '../support/run-here.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();

const pod = (name: string, status?: object) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'shop', uid: name },
  ...(status && { spec: {}, status }),
});

async function remarks(...items: readonly object[]): Promise<string | undefined> {
  const path = join(folder, 'pods.json');
  writeFileSync(path, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  const { code, stderr } = await gcHere(`podgc-preview --complete --from ${path}`);
  expect(code, stderr).toBe(0);
  return stderr.split('\n')[0];
}

test('pods of which only metadata was read are not passed over in silence', async () => {
  const whole = pod('web', { phase: 'Running' });
  expect(await remarks(whole, pod('db'))).toBe(
    'Of 1 of 2 pods only metadata was read: what becomes of these is unknown.',
  );
  expect(await remarks(whole)).toBe(
    "Threshold 12500 (kube-controller-manager's default; what it runs with was not read).",
  );
});

test('a default is told from one that stands for what was not read', async () => {
  const path = join(folder, 'one-pod.json');
  const items = [pod('web', { phase: 'Running' })];
  writeFileSync(path, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  const settings = join(folder, 'settings.yaml');
  writeFileSync(settings, 'controllers: ["*"]\n');
  const { stderr } = await gcHere(`podgc-preview --from ${path} --settings ${settings}`);
  expect(stderr.split('\n')[0]).toBe("Threshold 12500 (kube-controller-manager's default).");
});

test('on a Node that was not read, a pod is neither going nor kept: it is unknown', async () => {
  const bound = { ...pod('web'), spec: { nodeName: 'n1' }, status: { phase: 'Running' } };
  const path = join(folder, 'bound.json');
  writeFileSync(path, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [bound] }));
  expect(await gcHere(`podgc-preview --from ${path}`)).toEqual({
    code: 0,
    stdout: `NAMESPACE   UNKNOWN   PHASE     REASON
shop        web       Running   whether its Node n1 exists was not read; if it does not, pod garbage collection deletes the pod
`,
    stderr: `Threshold 12500 (kube-controller-manager's default; what it runs with was not read).
terminated: 0 (0 pods have ended, 12500 may stay)
out-of-service: 0 (deleted pods on Nodes that are not ready and tainted out-of-service)
orphaned: 0 (0 Nodes that pods name do not exist; whether 1 more exists was not read)
unscheduled: 0 (deleted pods that are bound to no Node)
Shown: 0 will be deleted, 0 left alone, 1 unknown.
`,
  });
  expect((await gcHere(`podgc-preview -o name --from ${path}`)).stdout).toBe('');
});

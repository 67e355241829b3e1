import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { gcHere } from '../support/run-here.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'podgc-preview-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

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
    'Of 1 of 2 pods only metadata was read: nothing can be said of these.',
  );
  expect(await remarks(whole)).toBe("Threshold 12500 (kube-controller-manager's default).");
});

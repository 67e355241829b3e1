import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { gcHere } from '../support/run-here.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Objects in whose spec and status every time is none, and a volume that names half a claim. */
const folder = temporaryFolder();

const bad = '2026-13-45T00:00:00Z';
const object = (
  apiVersion: string,
  kind: string,
  name: string,
  rest: object,
  namespace?: string,
) => ({
  apiVersion,
  kind,
  metadata: { name, uid: `uid-${name}`, ...(namespace && { namespace }) },
  ...rest,
});
const condition = (type: string, status = 'True') => ({
  type,
  status,
  lastTransitionTime: bad,
  lastUpdateTime: bad,
  lastHeartbeatTime: bad,
});
const lease = { renewTime: bad, acquireTime: bad, leaseDurationSeconds: 15, holderIdentity: 'a' };
const items = [
  object('v1', 'Namespace', 'shop', { status: { phase: 'Active' } }),
  object('v1', 'Node', 'n1', {
    spec: { providerID: 'x://1', taints: [{ key: 'x', effect: 'NoExecute', timeAdded: bad }] },
    status: { conditions: [condition('Ready', 'Unknown')] },
  }),
  object(
    'v1',
    'Pod',
    'p',
    { spec: { nodeName: 'n1' }, status: { phase: 'Running', startTime: bad } },
    'shop',
  ),
  object(
    'batch/v1',
    'Job',
    'j',
    {
      spec: { ttlSecondsAfterFinished: 10 },
      status: { startTime: bad, conditions: [condition('Complete')] },
    },
    'shop',
  ),
  object('certificates.k8s.io/v1', 'CertificateSigningRequest', 'c', {
    spec: { signerName: 'a/b' },
    status: { conditions: [condition('Approved')] },
  }),
  object(
    'coordination.k8s.io/v1',
    'Lease',
    'kube-controller-manager',
    { spec: lease },
    'kube-system',
  ),
  object('coordination.k8s.io/v1', 'Lease', 'n9', { spec: lease }, 'kube-node-lease'),
  object('v1', 'PersistentVolume', 'pv', {
    spec: { persistentVolumeReclaimPolicy: 'Retain', claimRef: { name: 'orders' } },
    status: { phase: 'Released', lastPhaseTransitionTime: bad },
  }),
];
const path = join(folder, 'all.json');
writeFileSync(path, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));

describe.each(['--complete', ''])('a time that is none counts as unset %s', (complete) => {
  test.each([
    ['audit -A -o json --fail-on never --allow-incomplete'],
    ['forecast -A --within 30d -o json'],
    ['podgc-preview -A -o json'],
    ['simulate --delete namespace/shop -o json'],
    ['delete namespace/shop --preview -o json'],
    ['delete pod/p -n shop --compare -o json'],
    ['why pod/p job/j -n shop -o json'],
    ['why node/n1 csr/c pv/pv -o json'],
    ['snapshot info -o json'],
  ])('%s', async (line) => {
    const now = '--now 2026-02-01T00:00:00Z';
    const { code, stdout, stderr } = await gcHere(`${line} ${complete} ${now} --from ${path}`);
    expect([code, stderr.includes('this is a bug')], stderr).toEqual([0, false]);
    expect(`${stdout}${stderr}`).not.toMatch(/Invalid time|NaN|\[object |undefined/);
    expect(JSON.parse(stdout).apiVersion).toBe('kubectl-gc/v1');
  });
});

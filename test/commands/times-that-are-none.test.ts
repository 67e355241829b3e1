import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { gcHere } from '../support/run-here.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const path = join(temporaryFolder(), 'all.yaml');
const condition = `status: 'True', lastTransitionTime: BAD, lastUpdateTime: BAD, lastHeartbeatTime: BAD`;
const lease = '{renewTime: BAD, acquireTime: BAD, leaseDurationSeconds: 15, holderIdentity: a}';
/** Objects in whose spec and status every time is none, and a volume that names half a claim. */
const objects = `
{apiVersion: v1, kind: Namespace, metadata: {name: shop, uid: uid-shop}, status: {phase: Active}}
---
apiVersion: v1
kind: Node
metadata: {name: n1, uid: uid-n1}
spec: {providerID: 'x://1', taints: [{key: x, effect: NoExecute, timeAdded: BAD}]}
status: {conditions: [{type: Ready, ${condition.replace('True', 'Unknown')}}]}
---
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: shop, uid: uid-p}
spec: {nodeName: n1}
status: {phase: Running, startTime: BAD}
---
apiVersion: batch/v1
kind: Job
metadata: {name: j, namespace: shop, uid: uid-j}
spec: {ttlSecondsAfterFinished: 10}
status: {startTime: BAD, conditions: [{type: Complete, ${condition}}]}
---
apiVersion: certificates.k8s.io/v1
kind: CertificateSigningRequest
metadata: {name: c, uid: uid-c}
spec: {signerName: a/b}
status: {conditions: [{type: Approved, ${condition}}]}
---
apiVersion: coordination.k8s.io/v1
kind: Lease
metadata: {name: kube-controller-manager, namespace: kube-system, uid: uid-kcm}
spec: ${lease}
---
apiVersion: coordination.k8s.io/v1
kind: Lease
metadata: {name: n9, namespace: kube-node-lease, uid: uid-n9}
spec: ${lease}
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: pv, uid: uid-pv}
spec: {persistentVolumeReclaimPolicy: Retain, claimRef: {name: orders}}
status: {phase: Released, lastPhaseTransitionTime: BAD}
`;
writeFileSync(path, objects.replaceAll('BAD', `'2026-13-45T00:00:00Z'`));

describe.each(['--complete', ''])('a time that is none counts as unset %s', (complete) => {
  test.each([
    'audit -A -o json --fail-on never --allow-incomplete',
    'forecast -A --within 30d -o json',
    'podgc-preview -A -o json',
    'simulate --delete namespace/shop -o json',
    'delete namespace/shop --preview -o json',
    'delete pod/p -n shop --compare -o json',
    'why pod/p job/j -n shop -o json',
    'why node/n1 csr/c pv/pv -o json',
    'snapshot info -o json',
  ])('%s', async (line) => {
    const now = '--now 2026-02-01T00:00:00Z';
    const { code, stdout, stderr } = await gcHere(`${line} ${complete} ${now} --from ${path}`);
    expect([code, stderr.includes('this is a bug')], stderr).toEqual([0, false]);
    expect(`${stdout}${stderr}`).not.toMatch(/Invalid time|NaN|\[object |undefined/);
    expect(JSON.parse(stdout).apiVersion).toBe('kubectl-gc/v1');
  });
});

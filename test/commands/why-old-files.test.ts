import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { gcHere } from '../support/run-here.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();

function lease(name: string, namespace: string, renewTime: string) {
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name, namespace, uid: name },
    spec: { holderIdentity: 'cp_1', leaseDurationSeconds: 15, renewTime },
  };
}

const claim = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: {
    name: 'data',
    namespace: 'shop',
    uid: 'c1',
    finalizers: ['kubernetes.io/pvc-protection'],
    deletionTimestamp: '2026-01-01T00:00:00Z',
  },
};
const leader = lease('kube-controller-manager', 'kube-system', '2026-01-02T00:00:00.000000Z');
const nodeAt = (time: string) => lease('worker-1', 'kube-node-lease', `2026-01-02T${time}.000000Z`);

test.each([
  ['another Lease of the file was renewed then', [nodeAt('00:00:40')], 'controller-manager-runs'],
  ['another one was renewed much later', [nodeAt('00:02:00')], 'controller-manager-down'],
  ['nothing tells when the file was made', [], 'controller-manager-unknown'],
])('a file that is old: %s', async (_, others, cause) => {
  const file = join(folder, `${cause}.json`);
  writeFileSync(file, [claim, leader, ...others].map((one) => JSON.stringify(one)).join('\n'));
  const from = `--from ${file} --complete`;
  const { stdout } = await gcHere(`why pvc/data -n shop ${from} -o json`);
  expect(stdout).toContain(`"cause": "${cause}"`);
  const audit = await gcHere(`audit ${from} --rule collector-without-leader -o json`);
  expect(JSON.parse(audit.stdout).items).toHaveLength(cause === 'controller-manager-down' ? 1 : 0);
});

import { expect, test } from 'vitest';
import { chosenControllers } from '../../src/runner/run-controllers.ts';
import { refuseControllerManager, refuseRemoteServer } from '../../src/runner/test-cluster.ts';
import { type Answer, fakeClient, refusal } from '../cluster/fake-client.ts';
import { servedTypes } from '../support/builders.ts';
import { kube } from '../support/kube.ts';

const both = ['garbage-collector-controller', 'namespace-controller'];

test.each([
  [undefined, both],
  [['*'], both],
  [['*', '-namespace'], ['garbage-collector-controller']],
  [['garbagecollector'], ['garbage-collector-controller']],
  [['namespace', 'garbagecollector'], both],
])('--controllers %j runs %j', (names, expected) => {
  expect(chosenControllers(names)).toEqual(expected);
});

test('--controllers that leave nothing to run, or name another, are refused', () => {
  const refused = [['namespace', 'podgc'], ['-namespace', '-garbagecollector'], ['collector']];
  const messages = refused.map((names) => {
    try {
      return chosenControllers(names).join();
    } catch (error) {
      return (error as Error).message;
    }
  });
  expect(messages.join('\n')).toMatchInlineSnapshot(`
    "podgc cannot be run here
    no controller is left to run
    --controllers[0]: "collector" is not a controller of kube-controller-manager"
  `);
});

test.each([
  ['https://127.0.0.1:6443', true],
  ['https://localhost:6443', true],
  ['https://[::1]:6443', true],
  ['https://10.0.0.1:6443', false],
  ['https://127.0.0.1.example.com', false],
])('%s is local: %s', (server, isHere) => {
  const client = fakeClient({}, { server });
  const look = () => refuseRemoteServer(client, {});
  if (isHere) expect(look).not.toThrow();
  else expect(look).toThrow(server);
  expect(() => refuseRemoteServer(client, { remoteServer: true })).not.toThrow();
  expect(client.requests).toEqual([]);
});

const account = '/api/v1/namespaces/kube-system/serviceaccounts/default';
const lease = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-controller-manager';
const noon = { date: 'Thu, 01 Jan 2026 12:00:00 GMT' };

function leaseRenewed(renewTime: string, holderIdentity = 'node-1_abc'): Answer {
  const spec = { holderIdentity, leaseDurationSeconds: 15, renewTime };
  const held = 'coordination.k8s.io/v1 Lease kube-controller-manager';
  return { headers: noon, body: kube(held, { namespace: 'kube-system' }, { spec }) };
}

const madeAccount: Answer = {
  headers: noon,
  body: kube('v1 ServiceAccount default', { namespace: 'kube-system' }),
};

const renewed = (at: string, holder?: string) => ({ [lease]: leaseRenewed(at, holder) });
test.each<[string, Record<string, Answer>, string?]>([
  ['no controller manager', {}],
  ['a renewed Lease', renewed('2026-01-01T11:59:50.000000Z'), 'controller-manager-runs'],
  ['an old Lease', renewed('2026-01-01T11:50:00.000000Z')],
  ['a Lease that was released', renewed('2026-01-01T11:59:50.000000Z', '')],
  ['its ServiceAccount', { [account]: madeAccount }, 'controller-manager-ran'],
  ['an unread Lease', { [lease]: refusal(403, 'no') }, 'controller-manager-unknown'],
])('a server with %s', async (_, answers, code) => {
  const client = fakeClient(answers);
  const look = refuseControllerManager(client, servedTypes, {});
  if (code === undefined) await look;
  else await expect(look).rejects.toMatchObject({ code, exitCode: 3 });
  await refuseControllerManager(client, servedTypes, { controllerManager: true });
});

import { describe, expect, test } from 'vitest';
import { rowsOf } from '../../support/rows.ts';
import { decided, kube, ownedBy, owner, plan, saved } from '../saved.ts';

type Kube = ReturnType<typeof kube>;

const isCreated = ['create', 'it is not there'] as const;

describe('what its own component makes', () => {
  const kinds = rowsOf(`
    v1 Event e                                       | skip   | events report what happened, and are not worth restoring
    events.k8s.io/v1 Event e                         | skip   | events report what happened, and are not worth restoring
    coordination.k8s.io/v1 Lease l                   | skip   | the holder of a lease acquires it again
    storage.k8s.io/v1 CSINode n                      | skip   | the kubelet of its node writes it
    storage.k8s.io/v1 VolumeAttachment a             | skip   | the attach-detach controller attaches what pods need
    networking.k8s.io/v1 IPAddress 10.0.0.1          | skip   | the API server allocates addresses of Services itself
    resource.k8s.io/v1 ResourceSlice s               | skip   | the driver on its node writes it
    certificates.k8s.io/v1 CertificateSigningRequest c | cannot | only the client that wants the certificate can request it
    v1 Node n1                                       | cannot | a Node is a machine: its kubelet registers it when it starts
    v1 ConfigMap app                                 | create | it is not there
  `);
  test.each(kinds)('%s', (text = '', ...decision) => {
    expect(decided([saved(kube(text))])).toEqual(decision);
  });

  // LabelManagedBy, and the names of the controllers, in v1.36.3.
  const slice = 'discovery.k8s.io/v1 EndpointSlice s';
  const slices = 'endpointslice.kubernetes.io/managed-by';
  const endpoints = 'endpoints.kubernetes.io/managed-by';
  const again = ['skip', 'the controller of its Service creates it again'];
  const onAServer = ['skip', 'the API server registers it itself'];
  const automanaged = 'kube-aggregator.kubernetes.io/automanaged';
  test.each([
    [slice, slices, 'endpointslice-controller.k8s.io', again],
    [slice, slices, 'endpointslicemirroring-controller.k8s.io', again],
    [slice, slices, 'mesh.example.com', isCreated],
    [slice, slices, 'not-endpointslice-controller.k8s.io', isCreated],
    [slice, slices, 'endpointslice-controller.k8s.io.example.com', isCreated],
    [slice, 'app', 'web', isCreated],
    ['v1 Endpoints e', endpoints, 'endpoint-controller', again],
    ['v1 Endpoints e', endpoints, 'my-endpoint-controller', isCreated],
    ['v1 Endpoints e', endpoints, 'endpoint-controller-2', isCreated],
    ['v1 Endpoints e', 'app', 'web', isCreated],
    ['apiregistration.k8s.io/v1 APIService v1.apps', automanaged, 'onstart', onAServer],
    ['apiregistration.k8s.io/v1 APIService v1.x.example.com', 'app', 'x', isCreated],
    ['v1 ConfigMap app', automanaged, 'true', isCreated],
  ])('%s with the label %s=%s', (text, label, value, expected) => {
    expect(decided([saved(kube(text, { labels: { [label]: value } }))])).toEqual(expected);
  });
});

test.each([
  [
    'Delete',
    'cannot',
    'its reclaim policy is Delete: the storage behind it was removed with it, and the data is gone',
  ],
  ['Retain', ...isCreated],
])('a PersistentVolume with the reclaim policy %s', (policy, action, because) => {
  const spec = { persistentVolumeReclaimPolicy: policy };
  expect(decided([saved(kube('v1 PersistentVolume disk', {}, { spec }))])).toEqual([
    action,
    because,
  ]);
});

describe('pods', () => {
  const controlledBy = (text: string, controller?: boolean) => ({
    ownerReferences: [owner(text, { controller })],
  });
  test.each([
    'apps/v1 ReplicaSet',
    'apps/v1 StatefulSet',
    'apps/v1 DaemonSet',
    'batch/v1 Job',
    'v1 ReplicationController',
  ])('of a %s come from it', (kind) => {
    expect(decided([saved(kube('v1 Pod web-1', controlledBy(`${kind} web`, true)))])).toEqual([
      'skip',
      `its ${kind.split(' ')[1]} web creates its pods itself`,
    ]);
  });

  const live = (text: string) => ({ there: [kube(text)] });
  test.each([
    ['that it only owns', 'apps/v1 ReplicaSet web', undefined],
    ['of a kind of that name in another group', 'example.com/v1 Widget web', true],
    ['of a controller that makes no pods', 'apps/v1 Deployment web', true],
  ])('%s are created', (_, text, controller) => {
    expect(
      decided([saved(kube('v1 Pod web-1', controlledBy(text, controller)))], live(text)),
    ).toEqual(isCreated);
  });

  test('that a kubelet shows for a file on its node are not', () => {
    const annotations = { 'kubernetes.io/config.mirror': 'hash' };
    expect(decided([saved(kube('v1 Pod web', { annotations }))])).toEqual([
      'skip',
      'the kubelet of its node shows it for a static pod',
    ]);
  });
});

describe('what had finished', () => {
  const pod = (phase: string) => kube('v1 Pod once', {}, { status: { phase } });
  const job = (type: string, status = 'True') =>
    kube('batch/v1 Job once', {}, { status: { conditions: [{ type, status }] } });
  test.each([
    [pod('Succeeded'), 'Succeeded'],
    [pod('Failed'), 'Failed'],
    [job('Complete'), 'Complete'],
    [job('Failed'), 'Failed'],
  ])('%j is created on demand only', (object, phase) => {
    expect(decided([saved(object)])).toEqual([
      'skip',
      `it had finished (${phase}), and would run again; --finished creates it`,
    ]);
    expect(decided([saved(object)], { finished: true })).toEqual(isCreated);
  });

  test.each([pod('Running'), pod('Pending'), job('Suspended'), job('Complete', 'False')])(
    'and %j has not',
    (object) => {
      expect(decided([saved(object)])).toEqual(isCreated);
    },
  );
});

describe('what the backup and the server say', () => {
  const app = kube('v1 ConfigMap app');
  test('a fault of its file is told, unless it is there', () => {
    const faulty = { manifest: undefined, fault: 'its file is missing' };
    expect(decided([saved(app, faulty)])).toEqual(['cannot', 'its file is missing']);
    expect(decided([saved(app, faulty)], { there: [app] })).toEqual([
      'exists',
      'it is still there',
    ]);
  });

  test('what was not deleted is not created', () => {
    expect(decided([saved(app, { manifest: undefined })])).toEqual([
      'skip',
      'it was not deleted with the others, so the backup does not hold it',
    ]);
  });

  test('whether it is there must be known', () => {
    expect(decided([saved(app)], { forbidden: ['v1 ConfigMap app'] })).toEqual([
      'cannot',
      'it is unknown whether it is there: it is forbidden',
    ]);
  });
});

describe('a namespace that is needed', () => {
  const inBank = kube('v1 ConfigMap app', { namespace: 'bank' });
  const bank = kube('v1 Namespace bank');
  test.each<[string, Kube[], string, string]>([
    ['is there', [bank], 'create', 'it is not there'],
    ['is gone', [], 'cannot', 'there is no namespace bank: create it, then run this again'],
    [
      'is going',
      [kube('v1 Namespace bank', { deletionTimestamp: '2026-01-31T12:00:00Z' })],
      'cannot',
      'the namespace bank is being deleted: nothing can be created in it',
    ],
  ])('%s', (_, there, action, because) => {
    expect(decided([saved(inBank)], { there })).toEqual([action, because]);
  });

  test('is not absent because it could not be looked up', () => {
    expect(decided([saved(inBank)], { forbidden: ['v1 Namespace bank'] })[0]).toBe('create');
  });

  test('comes back first', () => {
    const planned = plan([saved(inBank), saved(bank)]);
    expect(planned.map(({ saved: { name }, wave, action }) => [name, wave, action])).toEqual([
      ['bank', 0, 'create'],
      ['app', 1, 'create'],
    ]);
  });

  test('that cannot be restored keeps what is in it from coming back', () => {
    const faulty = saved(bank, { manifest: undefined, fault: 'its file is missing' });
    const planned = plan([saved(inBank), faulty]);
    expect(planned.map(({ action, because }) => [action, because])).toEqual([
      ['cannot', 'there is no namespace bank: create it, then run this again'],
      ['cannot', 'its file is missing'],
    ]);
  });
});

test('what hangs on an owner that cannot come back does not either, step by step', () => {
  const chain = ['a', 'b', 'c', 'd'].map((name, index, all) =>
    saved(
      kube(`v1 ConfigMap ${name}`, index === 0 ? {} : ownedBy(`v1 ConfigMap ${all[index - 1]}`)),
      index === 0 ? { manifest: undefined, fault: 'its file is missing' } : {},
    ),
  );
  const planned = plan(chain.toReversed());
  expect(planned.map(({ action }) => action)).toEqual(Array(4).fill('cannot'));
});

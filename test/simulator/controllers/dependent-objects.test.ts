import { describe, expect, test } from 'vitest';
import { parseRequests } from '../../../src/questions/simulate/scenario.ts';
import { builderOf, deployment, ownedBy, pod, replicaSet } from '../../support/builders.ts';
import { play, told } from './play-controllers.ts';

const claim = builderOf('v1', 'PersistentVolumeClaim');
const service = builderOf('v1', 'Service');
const endpoints = builderOf('v1', 'Endpoints');
const slice = builderOf('discovery.k8s.io/v1', 'EndpointSlice');
const statefulSet = builderOf('apps/v1', 'StatefulSet');

const request = (verb: string, kind: string, name: string, more: object = {}) =>
  parseRequests([{ verb, apiVersion: 'v1', kind, name, namespace: 'shop', ...more }], 'requests');
const quiet = { open: [], ended: 'quiet' };
const controller = { controller: true, blockOwnerDeletion: true };

test('a Deployment drops its oldest ReplicaSets as soon as it may keep fewer', () => {
  const of = (revision: number) => ({
    annotations: { 'deployment.kubernetes.io/revision': `${revision}` },
  });
  const selector = { matchLabels: { app: 'web' } };
  const facts = { selector, replicas: 0, revisionHistoryLimit: 10 };
  const web = deployment('web', {
    ...of(4),
    facts: { ...facts, observedGeneration: 2, generation: 2 },
  });
  const owned = { ownerReferences: [ownedBy(web, controller)], facts: { replicas: 0 } };
  const sets = [1, 2, 3, 4].map((one) => replicaSet(`web-${one}`, { ...of(one), ...owned }));
  const requests = request('patch', 'Deployment', 'web', {
    ...{ apiVersion: 'apps/v1', patch: { spec: { revisionHistoryLimit: 1 } }, after: '5s' },
  });
  expect(told([web, ...sets], { requests })).toEqual([
    '5s deployment-controller delete web-1 removed RSH-5',
    '5s deployment-controller delete web-2 removed RSH-5',
    'quiet: web, web-3, web-4',
  ]);
});

test('the claims of a StatefulSet are owned by it, and are deleted with it', () => {
  const kept = { whenDeleted: 'Retain', whenScaled: 'Retain' };
  const set = statefulSet('db', {
    facts: {
      ...{ replicas: 1, volumeClaimTemplates: [{ name: 'data' }] },
      persistentVolumeClaimRetentionPolicy: kept,
    },
  });
  const of = (verb: string, more: object) =>
    request(verb, 'StatefulSet', 'db', { apiVersion: 'apps/v1', ...more });
  const policy = { spec: { persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete' } } };
  const requests = [...of('patch', { patch: policy }), ...of('delete', { after: '5s' })];
  expect(told([set, claim('data-db-0', { facts: {} })], { requests })).toEqual([
    '0s statefulset-controller patch data-db-0 changed STS-2',
    'quiet',
  ]);
});

describe('a StatefulSet with the strategy Recreate (STS-6)', () => {
  const facts = { replicas: 2, updateStrategy: 'Recreate', updateRevision: 'db-2' };
  const seen = { generation: 4, observedGeneration: 4 };
  const set = statefulSet('db', { facts: { ...facts, ...seen } });
  const podOf = (name: string, revision: string) =>
    pod(name, {
      labels: { 'controller-revision-hash': revision },
      ownerReferences: [ownedBy(set, controller)],
      facts: { nodeName: '', phase: 'Running' },
    });
  const pods = [podOf('db-0', 'db-2'), podOf('db-1', 'db-2')];
  const changed = (spec: object) =>
    request('patch', 'StatefulSet', 'db', { apiVersion: 'apps/v1', patch: { spec } });
  const gone = (name: string) => `0s statefulset-controller delete ${name} removed STS-6`;
  const template = { metadata: { annotations: { restartedAt: 'now' } } };

  test('loses all pods immediately when its template changes', () => {
    const requests = changed({ template });
    expect(told([set, ...pods], { requests })).toEqual([gone('db-0'), gone('db-1'), 'quiet: db']);
    expect(play([set, ...pods], { requests: changed({ revisionHistoryLimit: 3 }) }).left).toEqual([
      'db',
      'db-0',
      'db-1',
    ]);
  });

  test('loses those of an earlier template', () => {
    const mixed = [podOf('db-0', 'db-1'), podOf('db-1', 'db-2')];
    expect(play([set, ...mixed]).steps).toEqual([gone('db-0')]);
    const rolling = statefulSet('db', {
      facts: { ...facts, ...seen, updateStrategy: 'RollingUpdate' },
    });
    expect(play([rolling, ...mixed]).steps).toEqual([]);
  });

  test.each([
    ['its generation is unobserved', { ...facts, generation: 5, observedGeneration: 4 }],
    ['its status is unread', { replicas: 2, updateStrategy: 'Recreate' }],
  ])('may lose every pod: %s', (_, unseen) => {
    const { steps, open } = play([statefulSet('db', { facts: unseen }), ...pods]);
    expect([steps, open]).toEqual([[], ['db-0', 'db-1']]);
  });

  test('is skipped by a controller without the feature gate', () => {
    const settings = { StatefulSetRecreateStrategy: false };
    const requests = changed({ template, replicas: 1 });
    expect(play([set, ...pods], { requests, settings }).steps).toEqual([]);
    expect(play([set, ...pods], { requests, settings: {} }).steps).toHaveLength(2);
  });
});

describe('a StatefulSet with fewer replicas', () => {
  const policy = { whenDeleted: 'Retain', whenScaled: 'Delete' };
  const setOf = (podManagementPolicy: string) =>
    statefulSet('db', {
      facts: {
        ...{ replicas: 3, volumeClaimTemplates: [{ name: 'data' }], podManagementPolicy },
        persistentVolumeClaimRetentionPolicy: policy,
      },
    });
  const ordinals = [0, 1, 2];
  const claims = ordinals.map((ordinal) => claim(`data-db-${ordinal}`, { facts: {} }));
  const podsOf = (set: ReturnType<typeof pod>, ...statuses: string[]) =>
    ordinals.map((ordinal) =>
      pod(`db-${ordinal}`, {
        ownerReferences: [ownedBy(set, controller)],
        facts: {
          nodeName: '',
          phase: 'Running',
          conditions: statuses.map((status) => ({ type: 'Ready', status })),
        },
      }),
    );
  const requests = request('patch', 'StatefulSet', 'db', {
    ...{ apiVersion: 'apps/v1', patch: { spec: { replicas: 1 } } },
  });
  const owned = (ordinal: number) =>
    `0s statefulset-controller patch data-db-${ordinal} changed STS-2`;
  const removed = (ordinal: number) =>
    `0s statefulset-controller delete db-${ordinal} removed STS-2`;

  test.each(['OrderedReady', 'Parallel'])('deletes its last pods and their claims, %s', (order) => {
    const set = setOf(order);
    expect(told([set, ...podsOf(set, 'True'), ...claims], { requests })).toEqual([
      owned(1),
      owned(2),
      removed(2),
      removed(1),
      'quiet: db, db-0, data-db-0',
    ]);
  });

  test('waits for those that stay, unless the order does not matter', () => {
    const [ordered, parallel] = [setOf('OrderedReady'), setOf('Parallel')];
    // The API server stores a condition more than once; the first counts.
    const twice = podsOf(ordered, 'False', 'True');
    expect(play([ordered, ...twice, ...claims], { requests }).steps).toEqual([]);
    expect(play([ordered, ...podsOf(ordered, 'False'), ...claims], { requests })).toEqual({
      steps: [],
      left: ['db', 'db-0', 'db-1', 'db-2', ...claims.map(({ name }) => name)],
      ...quiet,
      // Once the first pod is ready, they go with theirs.
      open: ['data-db-1', 'data-db-2', 'db-2', 'db-1'],
    });
    expect(play([parallel, ...podsOf(parallel, 'False'), ...claims], { requests }).left).toEqual([
      'db',
      'db-0',
      'data-db-0',
    ]);
  });
});

describe('a Service that goes', () => {
  const web = service('web', { facts: { selector: { matchLabels: { app: 'web' } } } });
  const slices = (manager: string, owner = web) =>
    slice(`web-${manager}`, {
      labels: {
        'kubernetes.io/service-name': 'web',
        'endpointslice.kubernetes.io/managed-by': `${manager}.k8s.io`,
      },
      ownerReferences: [ownedBy(owner, controller)],
      facts: { addressType: 'IPv4' },
    });

  test('takes its slices and Endpoints along', () => {
    const own = slices('endpointslice-controller');
    const requests = request('delete', 'Service', 'web', { after: '1s' });
    expect(told([web, own, endpoints('web')], { requests })).toEqual([
      '1s endpoints-controller delete web removed OTH-3',
      'quiet',
    ]);
  });

  test('ends the mirroring of its Endpoints', () => {
    const mirrored = slices('endpointslicemirroring-controller', endpoints('web'));
    const bare = service('web', { facts: {} });
    const requests = request('delete', 'Service', 'web', { after: '1s' });
    const settings = { controllers: ['endpointslicemirroring'] };
    expect(told([bare, mirrored, endpoints('web')], { requests, settings })).toEqual([
      '1s endpointslice-mirroring-controller delete web-endpointslicemirroring-controller removed OTH-2',
      'quiet: web',
    ]);
  });

  test('was gone before: its Endpoints wait for the next start', () => {
    expect(told([endpoints('web')])).toEqual(['quiet: web']);
    expect(play([endpoints('web')], { clock: { start: 'after-requests' } }).steps).toEqual([
      '0s endpoints-controller delete web removed OTH-4',
    ]);
  });
});

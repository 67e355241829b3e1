import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { builtInTypes } from '../../../src/kube/built-in-types.ts';
import { ResourceTypes } from '../../../src/kube/resource-types.ts';
import { needsOf } from '../../../src/restore/plan/needs.ts';
import { OwnerLookup } from '../../../src/restore/relink/relink.ts';
import { servedTypes } from '../../support/builders.ts';
import { rowsOf } from '../../support/rows.ts';
import { decided, decisionsOf, kube, ownedBy, plan, saved } from '../saved.ts';

/** `start Secret key`: how an object is needed, its kind and name; its namespace is left out. */
function needed(text: string, fields: object, types: ResourceTypes = servedTypes): string[] {
  const needs = needsOf(saved(kube(text, {}, fields)), new OwnerLookup(types, []));
  return needs
    .filter(({ at }) => at.name !== 'shop')
    .map(({ role, at }) => `${role} ${at.type.kind} ${at.name}`);
}

const templates = {
  'v1 Pod p': (spec: object) => ({ spec }),
  'apps/v1 Deployment p': (spec: object) => ({ spec: { template: { spec } } }),
  'batch/v1 CronJob p': (spec: object) => ({
    spec: { jobTemplate: { spec: { template: { spec } } } },
  }),
  // Any custom workload that has a template.
  'example.com/v1 Widget p': (spec: object) => ({ spec: { template: { spec } } }),
};

describe('what Pods need', () => {
  const rows = rowsOf(`
    the ServiceAccount that every namespace is given | {}                              | use ServiceAccount default
    another ServiceAccount      | serviceAccountName: robot                            | start ServiceAccount robot
    by its old name             | serviceAccount: robot                                | start ServiceAccount robot
    Secrets to pull images with | imagePullSecrets: [{name: a}, {name: b}] | use ServiceAccount default | start Secret a | start Secret b
    classes | {priorityClassName: high, runtimeClassName: sandbox} | use ServiceAccount default | use PriorityClass high | use RuntimeClass sandbox
    devices | resourceClaims: [{resourceClaimName: gpu}, {resourceClaimTemplateName: gpus}]
        | use ServiceAccount default | start ResourceClaim gpu | start ResourceClaimTemplate gpus
    volumes | volumes: [{secret: {secretName: a}}, {configMap: {name: b}}, {persistentVolumeClaim: {claimName: c}}, {emptyDir: {}}]
        | use ServiceAccount default | start Secret a | start ConfigMap b | data PersistentVolumeClaim c
    volumes of which it can do without | volumes: [{secret: {secretName: a, optional: true}}, {configMap: {name: b, optional: true}}]
        | use ServiceAccount default | use Secret a | use ConfigMap b
    projected volumes | volumes: [{projected: {sources: [{secret: {name: a}}, {configMap: {name: b, optional: true}}, {downwardAPI: {}}]}}]
        | use ServiceAccount default | start Secret a | use ConfigMap b
    volumes that log in | volumes: [{csi: {nodePublishSecretRef: {name: a}}}, {cephfs: {secretRef: {name: b}}}, {azureFile: {secretName: c}}]
        | use ServiceAccount default | start Secret a | start Secret b | start Secret c
    variables | containers: [{env: [{valueFrom: {secretKeyRef: {name: a}}}, {valueFrom: {configMapKeyRef: {name: b, optional: true}}}, {value: x}]}]
        | use ServiceAccount default | start Secret a | use ConfigMap b
    sets of variables | initContainers: [{envFrom: [{secretRef: {name: a, optional: true}}, {configMapRef: {name: b}}]}]
        | use ServiceAccount default | use Secret a | start ConfigMap b
    an object that is needed in two ways, once | {imagePullSecrets: [{name: a}], volumes: [{secret: {secretName: a, optional: true}}]}
        | use ServiceAccount default | start Secret a
    fields of a wrong type | {volumes: x, initContainers: [1, null], imagePullSecrets: {name: a}} | use ServiceAccount default
  `);
  test.each(rows)('%s', (_, spec = '', ...expected) => {
    const whole = { containers: [], ...parse(spec) };
    for (const [text, within] of Object.entries(templates)) {
      expect([text, needed(text, within(whole))]).toEqual([text, expected]);
    }
  });

  test('is nothing where there are no containers', () => {
    expect(needed('example.com/v1 Widget p', { spec: { serviceAccountName: 'robot' } })).toEqual(
      [],
    );
  });
});

const others = rowsOf(`
  apps/v1 StatefulSet db | spec: {serviceName: db, replicas: 2, volumeClaimTemplates: [{metadata: {name: data}}, {metadata: {name: log}}]}
      | use Service db | data PersistentVolumeClaim data-db-0 | data PersistentVolumeClaim data-db-1
      | data PersistentVolumeClaim log-db-0 | data PersistentVolumeClaim log-db-1
  apps/v1 StatefulSet db | spec: {ordinals: {start: 3}, volumeClaimTemplates: [{metadata: {name: data}}]} | data PersistentVolumeClaim data-db-3
  apps/v1 StatefulSet db | spec: {replicas: 0, volumeClaimTemplates: [{metadata: {name: data}}]}
  v1 PersistentVolumeClaim data | spec: {volumeName: disk, storageClassName: fast} | use PersistentVolume disk | use StorageClass fast
  v1 ServiceAccount robot | {secrets: [{name: a}], imagePullSecrets: [{name: b}]} | use Secret a | use Secret b
  v1 Secret token | {type: kubernetes.io/service-account-token} |
  v1 Secret token | {type: kubernetes.io/service-account-token, metadata: {name: token, namespace: shop, annotations: {kubernetes.io/service-account.name: robot}}} | account ServiceAccount robot
  rbac.authorization.k8s.io/v1 RoleBinding b | roleRef: {kind: ClusterRole, name: edit} | use ClusterRole edit
  v1 ConfigMap app | data: {serviceAccountName: robot} |
`);
test.each(others)('%s with %s', (text = '', fields = '', ...expected) => {
  expect(needed(text, parse(fields))).toEqual(expected.filter((one) => one !== ''));
});

test('a StatefulSet of absurdly many replicas names a thousand claims', () => {
  const spec = { replicas: 2 ** 31, volumeClaimTemplates: [{ metadata: { name: 'data' } }] };
  expect(needed('apps/v1 StatefulSet db', { spec })).toHaveLength(1000);
});

test('a kind that is not served needs its definition', () => {
  const bare = new ResourceTypes(builtInTypes, { exhaustive: true });
  const definition = 'container CustomResourceDefinition widgets.example.com';
  expect(needed('example.com/v1 Widget w', {}, bare)).toEqual([definition]);
  expect(needed('example.com/v1 Widget w', {})).toEqual([]);
});

describe('what is needed, and is neither in the backup nor on the cluster', () => {
  const key = 'v1 Secret key';
  const pod = saved(
    kube('v1 Pod web', {}, { spec: { containers: [], imagePullSecrets: [{ name: 'key' }] } }),
  );
  const notesOf = (...args: Parameters<typeof plan>) => plan(...args)[0]?.notes;

  test('is named', () => {
    expect(notesOf([pod])?.join('\n')).toMatchInlineSnapshot(
      `"it needs Secret key in namespace shop, which neither the backup nor the cluster has"`,
    );
  });

  test('is not, where it is there, is restored, or was not read', () => {
    expect(notesOf([pod], { there: [kube(key)] })).toEqual([]);
    expect(plan([pod, saved(kube(key))]).map(({ notes }) => notes)).toEqual([[], []]);
    expect(notesOf([pod], { forbidden: [key] })).toEqual([]);
  });

  test('is no empty volume of a StatefulSet, unless that is asked for or the set had none', () => {
    const spec = { volumeClaimTemplates: [{ metadata: { name: 'data' } }] };
    const set = saved(kube('apps/v1 StatefulSet db', {}, { spec }));
    expect(decided([set])).toEqual(['cannot', expect.stringContaining('--empty-volumes')]);
    const unmade = kube('apps/v1 StatefulSet db', {}, { spec, status: { replicas: 0 } });
    expect(decided([saved(unmade)])[0]).toBe('create');
    const started = kube(
      'apps/v1 StatefulSet db',
      {},
      { spec: { ...spec, ordinals: { start: 2 } }, status: { replicas: 1 } },
    );
    expect(decided([saved(started)])[0]).toBe('cannot');
    const whole = plan([saved(kube('v1 Namespace shop')), set]);
    expect(whole.map(({ action }) => action)).toEqual(['create', 'exists']);
    expect(notesOf([set], { emptyVolumes: true })?.join('\n')).toMatchInlineSnapshot(
      `"it needs PersistentVolumeClaim data-db-0 in namespace shop, which neither the backup nor the cluster has; an empty one is created"`,
    );
  });

  test('is named with the reason why it is not restored', () => {
    const damaged = saved(kube(key), { manifest: undefined, fault: 'its file is missing' });
    const planned = plan([pod, damaged]).find(({ saved: { name } }) => name === 'web');
    expect([planned?.action, planned?.notes]).toEqual([
      'create',
      ['it needs Secret key in namespace shop, which is not restored: its file is missing'],
    ]);
  });
});

describe('a StatefulSet does not start without the data of the backup', () => {
  const spec = { volumeClaimTemplates: [{ metadata: { name: 'data' } }] };
  const set = saved(kube('apps/v1 StatefulSet db', {}, { spec }));
  const claim = kube('v1 PersistentVolumeClaim data-db-0', {}, { spec: { volumeName: 'disk' } });
  const actions = (...args: Parameters<typeof plan>) =>
    plan(...args).map(({ saved: { name }, action }) => `${name}: ${action}`);

  test('where a claim cannot be restored', () => {
    const damaged = saved(claim, { manifest: undefined, fault: 'its file is missing' });
    expect(decisionsOf(plan([set, damaged]))).toEqual([
      'cannot: its file is missing',
      'cannot: PersistentVolumeClaim data-db-0 in namespace shop, which it needs, is not restored: its file is missing',
    ]);
  });

  test('where its volume could be restored, and is not', () => {
    const disk = (metadata: object, policy = 'Retain') =>
      saved(
        kube('v1 PersistentVolume disk', metadata, {
          spec: { persistentVolumeReclaimPolicy: policy, hostPath: { path: '/disk' } },
          status: { phase: 'Bound' },
        }),
      );
    const unowned = disk(ownedBy('v1 Namespace team'));
    expect(decisionsOf(plan([set, saved(claim), unowned]))).toMatchInlineSnapshot(`
      [
        "cannot: PersistentVolume disk, which has its data, is not restored: the garbage collector would delete it immediately (GC-22.13): there is no Namespace team; --without-owners creates it without an owner; --empty-volumes creates it on a new volume",
        "cannot: the garbage collector would delete it immediately (GC-22.13): there is no Namespace team; --without-owners creates it without an owner",
        "cannot: PersistentVolumeClaim data-db-0 in namespace shop, which it needs, is not restored: PersistentVolume disk, which has its data, is not restored: the garbage collector would delete it immediately (GC-22.13): there is no Namespace team; --without-owners creates it without an owner; --empty-volumes creates it on a new volume",
      ]
    `);
    const all = ['disk: create', 'data-db-0: create', 'db: create'];
    expect(actions([set, saved(claim), unowned], { withoutOwners: true })).toEqual(all);
    const left = ['data-db-0: create', 'db: create', 'disk: cannot'];
    expect(actions([set, saved(claim), unowned], { emptyVolumes: true })).toEqual(left);
    // What was behind it is lost, whatever is restored.
    const lost = disk({}, 'Delete');
    expect(actions([set, saved(claim), lost])).toEqual(left);
  });

  test('where a claim is there with another volume', () => {
    const empty = kube(
      'v1 PersistentVolumeClaim data-db-0',
      { uid: 'made' },
      { spec: { volumeName: 'empty' } },
    );
    const disk = kube('v1 PersistentVolume disk');
    expect(actions([set, saved(claim)], { there: [empty, disk] })).toEqual([
      'data-db-0: cannot',
      'db: cannot',
    ]);
  });

  test('but does where they are restored, or there', () => {
    const disk = kube('v1 PersistentVolume disk');
    expect(actions([set, saved(claim)], { there: [disk] })).toEqual([
      'data-db-0: create',
      'db: create',
    ]);
    expect(actions([set, saved(claim)], { there: [disk, claim] })).toEqual([
      'db: create',
      'data-db-0: exists',
    ]);
  });
});

describe('a token is restored only where its ServiceAccount is', () => {
  const annotations = { 'kubernetes.io/service-account.name': 'robot' };
  const type = 'kubernetes.io/service-account-token';
  const token = saved(kube('v1 Secret token', { annotations }, { type }));
  const robot = 'v1 ServiceAccount robot';
  const actions = (...args: Parameters<typeof plan>) =>
    plan(...args).map(({ saved: { name }, action }) => `${name}: ${action}`);

  test('there, restored, unknown, or made for every namespace', () => {
    expect(actions([token], { there: [kube(robot)] })).toEqual(['token: create']);
    expect(actions([token, saved(kube(robot))])).toEqual(['robot: create', 'token: create']);
    expect(actions([token], { forbidden: [robot] })).toEqual(['token: create']);
    const ofDefault = { 'kubernetes.io/service-account.name': 'default' };
    const other = saved(kube('v1 Secret token', { annotations: ofDefault }, { type }));
    expect(actions([other])).toEqual(['token: create']);
  });

  test('and not where it is nowhere, or cannot be restored', () => {
    const damaged = saved(kube(robot), { manifest: undefined, fault: 'its file is missing' });
    expect(decisionsOf(plan([token]))).toMatchInlineSnapshot(`
      [
        "cannot: ServiceAccount robot in namespace shop is neither in the backup nor there, and the token controller would delete this again",
      ]
    `);
    expect(decisionsOf(plan([damaged, token]))).toMatchInlineSnapshot(`
      [
        "cannot: its file is missing",
        "cannot: ServiceAccount robot in namespace shop is not restored: its file is missing, and the token controller would delete this again",
      ]
    `);
  });
});

import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { byKind } from '../../../src/controllers/cluster-view.ts';
import {
  linkedNames,
  type PlayMemory,
  type SyncedController,
  type SyncFacts,
} from '../../../src/controllers/controller.ts';
import { bootstrapTokenCleaner } from '../../../src/controllers/credentials/bootstrap-token-cleaner.ts';
import { serviceAccountToken } from '../../../src/controllers/credentials/serviceaccount-token.ts';
import { endpointSlice } from '../../../src/controllers/endpoints/endpointslice.ts';
import { attachDetach } from '../../../src/controllers/volumes/attachdetach.ts';
import { persistentVolumeReclaim } from '../../../src/controllers/volumes/persistentvolume-reclaim.ts';
import { resourceClaim } from '../../../src/controllers/volumes/resourceclaim.ts';
import { controllerRevisionHistory } from '../../../src/controllers/workloads/controllerrevision-history.ts';
import { NotedLosses, NotedReleases } from '../../../src/controllers/workloads/play-memory.ts';
import { replicaSetHistory } from '../../../src/controllers/workloads/replicaset-history.ts';
import { statefulSetPvcRetention } from '../../../src/controllers/workloads/statefulset-pvc-retention.ts';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { affectedBy, simulatedSyncs } from '../../../src/simulator/controllers/sync-run.ts';
import {
  builderOf,
  configMap,
  type Details,
  deployment,
  ownedBy,
  pod,
  replicaSet,
  secret,
} from '../../support/builders.ts';
import { rowsOf } from '../../support/rows.ts';

const account = builderOf('v1', 'ServiceAccount');
const claim = builderOf('v1', 'PersistentVolumeClaim');
const volume = builderOf('v1', 'PersistentVolume');
const statefulSet = builderOf('apps/v1', 'StatefulSet');
const daemonSet = builderOf('apps/v1', 'DaemonSet');
const revision = builderOf('apps/v1', 'ControllerRevision');
const service = builderOf('v1', 'Service');
const slice = builderOf('discovery.k8s.io/v1', 'EndpointSlice');
const attachment = builderOf('storage.k8s.io/v1', 'VolumeAttachment');
const gpu = builderOf('resource.k8s.io/v1', 'ResourceClaim');

/** One of the controllers that clean up together. */
function syncOf(controller: SyncedController, at = 0) {
  const one = simulatedSyncs(controller)[at];
  if (!one) throw new Error(`${controller.id} has no ${at}`);
  return one;
}

const controllers = {
  tokens: syncOf(serviceAccountToken),
  bootstrapTokens: syncOf(bootstrapTokenCleaner),
  binder: syncOf(persistentVolumeReclaim),
  ofClaims: syncOf(persistentVolumeReclaim, 2),
  histories: syncOf(replicaSetHistory),
  ofDaemonSets: syncOf(controllerRevisionHistory, 1),
  retention: syncOf(statefulSetPvcRetention),
  emptied: syncOf(endpointSlice, 1),
  letGo: syncOf(endpointSlice, 2),
  devices: syncOf(resourceClaim),
  attachments: syncOf(attachDetach),
};
type Name = keyof typeof controllers;

const of = { 'kubernetes.io/service-account.name': 'robot' };
const isToken = { secretType: 'kubernetes.io/service-account-token' };
const token = (name: string, details: Details = {}) =>
  secret(name, { annotations: of, facts: isToken, ...details });
const bootstrap = { facts: { secretType: 'bootstrap.kubernetes.io/token' } };
const depot = { namespace: 'depot' };
const system = { namespace: 'kube-system' };
const data = { namespace: 'shop', name: 'data' };
const boundTo = (uid: string, ref: object = data) => ({
  facts: { claimRef: { ...data, ...ref, uid } },
});
const reserved = (persistentVolumeReclaimPolicy: string) =>
  volume('pv', { facts: { claimRef: data, persistentVolumeReclaimPolicy } });
const user = (name: string, ...used: string[]) =>
  pod(name, {
    facts: { nodeName: '', volumes: used.map((claimName) => ({ name: claimName, claimName })) },
  });
const controlled = (owner: ObjectRecord, uid = owner.uid) => ({
  ownerReferences: [ownedBy(owner, { controller: true, uid })],
});
const web = deployment('web', { facts: {} });
const db = daemonSet('db', { facts: { revisionHistoryLimit: 1 } });

const ofWeb = {
  'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
  'kubernetes.io/service-name': 'web',
};
const serving = (
  serviceType: string,
  deleting?: 'orphan',
  app = 'web',
  ...finalizers: string[]
) => {
  const facts = { serviceType, selector: { matchLabels: app === '' ? {} : { app } } };
  const one = service('web', { facts, ...(deleting && { deleting }) });
  return { ...one, finalizers: [...one.finalizers, ...finalizers] };
};
const reservedForA = { reservedFor: [{ name: 'a', uid: 'a', resource: 'pods' }] };
const leadingTo = (kind: string) => ({ endpoints: [{ targetRef: { kind, name: 'a' } }] });

const objects: Readonly<Record<string, ObjectRecord>> = {
  'a ConfigMap': configMap('robot'),
  'ConfigMap data': configMap('data'),
  'ConfigMap db-0': configMap('db-0'),
  robot: account('robot'),
  'token a': token('a'),
  'token b of another': token('b', { annotations: { ...of, [Object.keys(of)[0] ?? '']: 'other' } }),
  'token c elsewhere': token('c', depot),
  'token of nobody': token('nameless', { annotations: undefined }),
  'going token': token('a', { deleting: 'background' }),
  'other Secret': secret('a', { annotations: of, facts: { secretType: 'Opaque' } }),
  'bare Secret': secret('a', { annotations: of }),
  'bootstrap token': secret('t', { ...system, ...bootstrap }),
  'bootstrap token elsewhere': secret('t', bootstrap),
  'system Secret': secret('t', system),
  'unread volume': volume('pv'),
  'bound volume': volume('pv', boundTo('uid-persistentvolumeclaim-shop-data')),
  'volume elsewhere': volume('other', boundTo('x', depot)),
  'volume reserved, deleted': reserved('Delete'),
  'volume reserved, kept': reserved('Retain'),
  'claim data': claim('data'),
  'claim data elsewhere': claim('data', depot),
  'claim bound to pv': claim('data', { facts: { volumeName: 'pv' } }),
  'claim bound to another': claim('data', { facts: { volumeName: 'other' } }),
  'user of data': user('a', 'data'),
  'user of data, logs': user('a', 'data', 'logs'),
  'unread pod': pod('unread'),
  'unread pod of a': pod('a'),
  web,
  'web of limit 10': deployment('web', { facts: { revisionHistoryLimit: 10 } }),
  'web of limit 11': deployment('web', { facts: { revisionHistoryLimit: 11 } }),
  'unread web': deployment('web'),
  'going web': deployment('web', { deleting: 'foreground' }),
  'set of another web': replicaSet('x', controlled(web, 'another')),
  'set without a controller': replicaSet('x', { ownerReferences: [ownedBy(web)] }),
  ...Object.fromEntries(
    Array.from({ length: 11 }, (_, at) => [`set ${at}`, replicaSet(`web-${at}`, controlled(web))]),
  ),
  db,
  'own revision': revision('own', controlled(db)),
  'revision of x': revision('other', controlled(daemonSet('x'))),
  'free revision': revision('free'),
  'free revision elsewhere': revision('far', depot),
  'unread StatefulSet': statefulSet('db'),
  'StatefulSet with data, logs': statefulSet('db', {
    facts: { volumeClaimTemplates: [{ name: 'data' }, { name: 'logs' }] },
  }),
  'first claim': claim('data-db-0'),
  'second claim, owned': claim('data-db-1', { ownerReferences: [ownedBy(statefulSet('db'))] }),
  ...Object.fromEntries(
    ['db', 'db-1', 'db-2', 'db-5', 'db-12'].map((name) => [
      `pod ${name}`,
      pod(name, controlled(statefulSet('db'))),
    ]),
  ),
  'claim db-0x': claim('db-0x'),
  'slice of a': slice('web-1', { labels: ofWeb, facts: leadingTo('Pod') }),
  'slice of no pod': slice('web-1', { labels: ofWeb, facts: leadingTo('Node') }),
  'Service web': serving('ClusterIP'),
  'orphaning web': serving('ClusterIP', 'orphan'),
  'held web': serving('ClusterIP', 'orphan', 'web', 'x/y'),
  'external web': serving('ExternalName', 'orphan'),
  'web of no pods': serving('ClusterIP', 'orphan', ''),
  'claim of a': gpu('gpu', { ...controlled(pod('a')), facts: reservedForA }),
  'claim of web': gpu('gpu', { ...controlled(web), facts: {} }),
  'unread device': gpu('gpu'),
  attached: attachment('x', {
    facts: { attachment: { persistentVolumeName: 'pv', nodeName: 'worker' } },
  }),
};

/** Objects by their names above, parted by semicolons; `{replicas: 2}`: a StatefulSet with that and claims `data`. */
function named(text: string): ObjectRecord[] {
  return text
    .split('; ')
    .filter(Boolean)
    .map((name) => {
      const facts = name.startsWith('{') && {
        volumeClaimTemplates: [{ name: 'data' }],
        ...parse(name),
      };
      const found = facts ? statefulSet('db', { facts }) : objects[name];
      if (!found) throw new Error(`no ${name}`);
      return found;
    });
}

function clusterOf(text: string): SyncFacts {
  const sets = [...Array(11).keys()].map((at) => `set ${at}`).join('; ');
  const view = byKind(named(text.replace('all sets', sets)));
  const memory: PlayMemory = {
    startedAt: undefined,
    evictions: new Map(),
    lostPods: new NotedLosses(),
    released: new NotedReleases(view),
    isRequested: () => false,
  };
  return { view, memory };
}

describe('an object concerns', () => {
  const rows = rowsOf(`
    tokens          | token a                   |                              | yes
    tokens          | going token               |                              | no
    tokens          | other Secret              |                              | no
    tokens          | bare Secret               |                              | no
    bootstrapTokens | bootstrap token           |                              | yes
    bootstrapTokens | bootstrap token elsewhere |                              | no
    bootstrapTokens | system Secret             |                              | no
    binder          | unread volume             |                              | no
    binder          | bound volume              | claim bound to pv            | no
    binder          | bound volume              | claim bound to another       | yes
    binder          | volume reserved, deleted  |                              | yes
    binder          | volume reserved, kept     |                              | no
    histories       | web                       | web; all sets                | yes
    histories       | web of limit 10           | web; all sets                | yes
    histories       | web of limit 11           | web; all sets                | no
    histories       | unread web                | web; all sets                | no
    histories       | web                       | web; set 1; set 2            | no
    ofDaemonSets    | db                        | own revision                 | no
    ofDaemonSets    | db                        | own revision; free revision  | yes
    ofDaemonSets    | db                        | own revision; revision of x  | no
    ofDaemonSets    | db                        | own revision; free revision elsewhere | no
    retention       | {persistentVolumeClaimRetentionPolicy: {whenDeleted: Delete}} | | yes
    retention       | {persistentVolumeClaimRetentionPolicy: {whenScaled: Delete}} |  | yes
    retention       | {}                        | first claim; second claim, owned | yes
    retention       | {firstOrdinal: 1}         | second claim, owned          | yes
    retention       | {replicas: 2}             | pod db-2                     | yes
    retention       | {replicas: 2}             | pod db-5                     | yes
    retention       | {replicas: 2, firstOrdinal: 3} | pod db-2                | yes
    retention       | {replicas: 2, firstOrdinal: 3} | pod db-5                | yes
    retention       | {}                        |                              | no
    retention       | {persistentVolumeClaimRetentionPolicy: {whenScaled: Retain}} |  | no
    retention       | {volumeClaimTemplates: [], persistentVolumeClaimRetentionPolicy: {whenDeleted: Delete}} | | no
    retention       | {}                        | first claim                  | no
    retention       | {}                        | second claim, owned          | no
    retention       | {replicas: 2}             | pod db-1                     | no
    emptied         | slice of a                |                              | yes
    emptied         | slice of no pod           |                              | no
    letGo           | slice of a                | orphaning web                | yes
    letGo           | slice of a                | Service web                  | no
    letGo           | slice of a                | held web                     | no
    letGo           | slice of a                | external web                 | no
    letGo           | slice of a                | web of no pods               | no
    devices         | claim of a                |                              | yes
    devices         | unread device             |                              | no
    retention       | unread StatefulSet        | pod db-1                     | no
  `);
  test.each(rows)('%s: %s, beside %s: %s', (name = '', text = '', beside = '', end) => {
    const concerns = named(text).map(
      (one) => controllers[name as Name].needsSync?.(one, clusterOf(beside)) !== false,
    );
    expect(concerns).toEqual([end === 'yes']);
  });
});

describe('a write lets them look at', () => {
  // What is written: it comes, it goes, or it is as before.
  const rows = rowsOf(`
    tokens       | robot goes                  | token a; token b of another; token c elsewhere | a
    tokens       | robot comes                 | token a; token b of another; token c elsewhere | a
    tokens       | robot changes               | token a                        |
    tokens       | a ConfigMap goes            | token a                        |
    binder       | claim data goes             | bound volume; volume elsewhere | pv
    binder       | claim data elsewhere comes  | bound volume; volume elsewhere | other
    binder       | ConfigMap data goes         | bound volume; volume elsewhere |
    histories    | set 0 comes                 | web; all sets                  | web
    histories    | set 0 goes                  | web; all sets                  |
    histories    | set of another web comes    | web; all sets                  |
    histories    | set without a controller comes | web; all sets               |
    histories    | set 0 comes                 | going web                      |
    ofDaemonSets | own revision goes           | db                             | db
    emptied      | user of data goes           | slice of a                     | web-1
    emptied      | user of data changes        | slice of a                     |
    letGo        | orphaning web changes       | slice of a                     | web-1
    letGo        | Service web changes         | slice of a                     |
    devices      | unread pod of a goes        | claim of a                     | gpu
    devices      | user of data goes           | claim of a                     |
  `);
  test.each(rows)('%s: %s, of %s', (name = '', written = '', there = '', found) => {
    const [, text = '', how] = /^(.*) (\w+)$/.exec(written) ?? [];
    const [record] = named(text);
    const change = {
      before: how === 'comes' ? undefined : record,
      after: how === 'goes' ? undefined : record,
    };
    const affected = affectedBy(controllers[name as Name], change, clusterOf(there));
    expect(affected.flatMap((one) => one?.name ?? []).join(' ')).toBe(found);
  });
});

describe('links of', () => {
  const rows = rowsOf(`
    tokens    | robot                       |                          | shop/robot
    tokens    | token a                     |                          | shop/robot
    tokens    | token b of another          |                          | shop/other
    tokens    | other Secret                |                          |
    tokens    | a ConfigMap                 |                          |
    tokens    | token of nobody             |                          |
    ofClaims  | bound volume                | user of data; claim data | shop/data
    ofClaims  | claim data                  | user of data; claim data | shop/data
    ofClaims  | user of data, logs          | user of data; claim data | shop/data shop/logs
    ofClaims  | ConfigMap data              | user of data; claim data |
    ofClaims  | unread volume               | user of data; claim data |
    ofClaims  | unread pod                  | unread pod; claim data   | shop/?
    ofClaims  | claim data                  | unread pod; claim data   | shop/data shop/?
    ofClaims  | claim data elsewhere        | unread pod; claim data   | depot/data
    retention | StatefulSet with data, logs |                          | shop/db shop/data-db shop/logs-db
    retention | pod db-12                   |                          | shop/db
    retention | first claim                 |                          | shop/data-db
    retention | pod db                      |                          |
    retention | claim db-0x                 |                          |
    emptied   | slice of a                  |                          | shop/a
    devices   | claim of a                  |                          | shop/a
    devices   | claim of web                |                          |
    attachments | attached                  |                          | pv
    attachments | attached                  | volume reserved, kept    | pv shop/data worker
    retention | ConfigMap db-0              |                          |
  `);
  test.each(rows)('%s: %s, beside %s', (name = '', text = '', beside = '', expected) => {
    const { links = {} } = controllers[name as Name];
    const by = clusterOf(beside);
    expect(named(text).map((one) => linkedNames(links, one, by).join(' '))).toEqual([expected]);
  });
});

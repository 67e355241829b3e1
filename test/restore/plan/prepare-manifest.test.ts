import { expect, test } from 'vitest';
import { parse } from 'yaml';
import type { KubeObject } from '../../../src/kube/record-codec.ts';
import { withoutAllocations, withoutRefused } from '../../../src/restore/kinds/prepare.ts';
import { forClaim, prepareManifest } from '../../../src/restore/plan/prepare-manifest.ts';
import { rowsOf } from '../../support/rows.ts';
import { kube, owner, saved } from '../saved.ts';

function prepared(object: KubeObject) {
  const { manifest, notes } = prepareManifest(saved(object).type, object);
  const { metadata, apiVersion: _, kind: __, ...content } = manifest;
  // As it is sent.
  return JSON.parse(JSON.stringify({ metadata, ...content, ...(notes.length > 0 && { notes }) }));
}

test('what the server sets is left out, and references are put in later', () => {
  const object = kube(
    'v1 ConfigMap app',
    {
      resourceVersion: '7',
      generation: 3,
      creationTimestamp: '2026-01-31T12:00:00Z',
      deletionTimestamp: '2026-01-31T12:00:00Z',
      deletionGracePeriodSeconds: 0,
      selfLink: '/x',
      managedFields: [{}],
      labels: { app: 'web' },
      annotations: { note: 'kept' },
      ownerReferences: [owner('v1 ConfigMap x')],
      finalizers: ['orphan', 'kubernetes.io/pvc-protection', 'example.com/own'],
    },
    { data: { a: '1' }, status: { some: 'thing' } },
  );
  expect(prepared(object)).toEqual({
    metadata: {
      name: 'app',
      namespace: 'shop',
      labels: { app: 'web' },
      annotations: { note: 'kept' },
      finalizers: ['example.com/own'],
    },
    data: { a: '1' },
  });
});

const token = 'kubernetes.io/service-account-token';
// `metadata`: what changes of it.
const manifests = rowsOf(`
  v1 Namespace shop             | spec: {finalizers: [kubernetes]}                       | {}
  v1 Pod web                    | spec: {nodeName: n1, priority: 0, containers: []}      | spec: {containers: []}
  batch/v1 Job nightly
      | {metadata: {labels: {app: y, controller-uid: u}}, spec: {template: {metadata: {labels: UIDS}}}}
      | {metadata: {labels: {app: y}}, spec: {template: {metadata: {labels: {app: x}}}}}
  batch/v1 Job manual | spec: {manualSelector: true, selector: {}} | spec: {manualSelector: true, selector: {}}
  v1 Secret token
      | {metadata: {annotations: {kubernetes.io/service-account.uid: u, kubernetes.io/x: y}}, type: ${token}, data: {token: eA==}} | {metadata: {annotations: {kubernetes.io/x: y}}, type: ${token}, notes: ["it gets a new token: the ServiceAccount of the old token was deleted"]}
  v1 Secret key | {metadata: {annotations: {kubernetes.io/service-account.uid: u}}, type: Opaque, data: {password: eA==}}
      | {type: Opaque, data: {password: eA==}}
  v1 PersistentVolume free      | spec: {capacity: {}}                                   | spec: {capacity: {}}
  v1 PersistentVolume disk      | spec: {claimRef: {name: data, uid: u, resourceVersion: "3"}} | spec: {claimRef: {name: data}}
  v1 PersistentVolumeClaim data
      | {metadata: {annotations: {pv.kubernetes.io/bind-completed: "yes"}}, spec: {volumeName: disk}}
      | {metadata: {annotations: {}}, spec: {volumeName: disk}}
`);
const uidLabels = '{controller-uid: u, batch.kubernetes.io/controller-uid: u, app: x}';
test.each(manifests)('%s', (text = '', given = '', expected = '') => {
  const { metadata, ...fields } = parse(given.replaceAll('UIDS', uidLabels));
  const object = kube(text, metadata, fields);
  const { uid: _, ...kept } = object.metadata;
  const changed = parse(expected);
  expect(prepared(object)).toEqual({ ...changed, metadata: { ...kept, ...changed.metadata } });
});

test('a Service gives back what it was given', () => {
  const spec = {
    clusterIP: '10.0.0.1',
    clusterIPs: ['10.0.0.1'],
    ports: [{ port: 1, nodePort: 3 }],
  };
  const service = (changes: object) =>
    kube('v1 Service web', {}, { spec: { ...spec, ...changes } });
  expect(withoutAllocations(service({})).spec).toEqual({ ports: [{ port: 1 }] });
  expect(withoutAllocations(service({ clusterIP: 'None' })).spec).toMatchObject({
    clusterIP: 'None',
  });
});

const given = {
  clusterIP: '10.0.0.1',
  clusterIPs: ['10.0.0.1', 'fd00::1'],
  ipFamilies: ['IPv4', 'IPv6'],
  ipFamilyPolicy: 'RequireDualStack',
  ports: [
    { port: 1, nodePort: 31 },
    { port: 2, nodePort: 32 },
  ],
};
test.each([
  [
    'a port',
    'spec.ports[1].nodePort: Invalid value: 32: provided port is already allocated',
    {
      ...given,
      ports: [{ port: 1, nodePort: 31 }, { port: 2 }],
    },
  ],
  [
    'an address',
    'spec.clusterIPs: Invalid value: ["10.0.0.1"]: failed to allocate IP',
    {
      ipFamilies: given.ipFamilies,
      ipFamilyPolicy: given.ipFamilyPolicy,
      ports: given.ports,
    },
  ],
  [
    'a family',
    'spec.ipFamilyPolicy: Invalid value: "RequireDualStack": this cluster is not configured for dual-stack services',
    { ports: given.ports },
  ],
  ['something else', 'spec.ports[0].port: Required value', undefined],
])('a Service gives up %s that the server refuses, and nothing else', (_, message, spec) => {
  expect(withoutRefused(kube('v1 Service web', {}, { spec: given }), message)?.spec).toEqual(spec);
});

test('a volume whose claim is there is reserved for the uid of that claim', () => {
  const spec = { capacity: {}, claimRef: { name: 'data', uid: 'of-data' } };
  const disk = kube('v1 PersistentVolume disk', {}, { spec });
  const { manifest } = prepareManifest(saved(disk).type, disk);
  expect(forClaim(saved(disk), manifest).spec).toEqual(spec);
});

test('a Job that shows the labels of its Pods had no labels itself', () => {
  const labels = { 'controller-uid': 'u', 'job-name': 'once' };
  const once = kube(
    'batch/v1 Job once',
    { labels },
    { spec: { template: { metadata: { labels } } } },
  );
  expect(prepared(once)).toEqual({
    metadata: { name: 'once', namespace: 'shop' },
    spec: { template: { metadata: { labels: {} } } },
  });
});

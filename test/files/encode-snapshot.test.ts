import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encodeSnapshot } from '../../src/files/saved-snapshot.ts';
import type { FieldManager, ObjectRecord, Place } from '../../src/kube/object-record.ts';
import { ResourceTypes } from '../../src/kube/resource-types.ts';
import type { Coverage } from '../../src/snapshot/coverage.ts';
import type { Snapshot } from '../../src/snapshot/snapshot.ts';
import { builtIn } from '../cluster/built-in.ts';
import { anySnapshot } from '../support/any-snapshot.ts';
import {
  configMap,
  customType,
  objectOfType,
  ownedByGone,
  pod,
  snapshotOf,
} from '../support/builders.ts';
import { decodeSnapshot } from '../support/decode-snapshot.ts';

const roundTrip = (snapshot: Snapshot): Snapshot =>
  decodeSnapshot(JSON.parse([...encodeSnapshot(snapshot, crc32)].join('')));

const anyPlace: fc.Arbitrary<Place> = fc.record({ path: fc.string(), line: fc.nat() });
const anyWriter: fc.Arbitrary<FieldManager> = fc.record({
  uid: fc.string(),
  manager: fc.string(),
  operation: fc.constantFrom('Apply', 'Update'),
  time: fc.constantFrom(undefined, '2026-01-01T00:00:00Z'),
});
const anyExtras: fc.Arbitrary<Partial<ObjectRecord>> = fc.record({
  place: fc.option(anyPlace, { nil: undefined }),
  writers: fc.option(fc.array(anyWriter, { maxLength: 2 }), { nil: undefined }),
  resourceVersion: fc.constantFrom(undefined, '17'),
  deletionGracePeriodSeconds: fc.constantFrom(undefined, 0, 30),
  annotations: fc.constantFrom(undefined, { 'helm.sh/hook': 'pre-install' }),
});
const anyCoverage: fc.Arbitrary<Coverage> = fc.record({
  read: fc.array(
    fc.oneof(
      fc.record({ resource: fc.string() }),
      fc.record({ resource: fc.string(), namespaces: fc.array(fc.string()) }),
    ),
  ),
  asked: fc.array(fc.record({ resource: fc.string(), namespace: fc.string(), name: fc.string() })),
  problems: fc.array(
    fc.record(
      {
        reason: fc.constantFrom('forbidden', 'truncated'),
        message: fc.string(),
        resource: fc.string(),
        apiVersion: fc.string(),
        namespace: fc.string(),
        path: fc.string(),
        line: fc.nat(),
      },
      { requiredKeys: ['reason', 'message'] },
    ),
  ),
});

/** Any snapshot, with what only some sources know. */
const anySaved: fc.Arbitrary<Snapshot> = fc
  .record({
    snapshot: anySnapshot(),
    extras: fc.array(anyExtras, { minLength: 12, maxLength: 12 }),
    coverage: anyCoverage,
    failed: fc.array(
      fc.record({
        group: fc.string(),
        version: fc.constantFrom(undefined, 'v1'),
        message: fc.string(),
      }),
    ),
    exhaustive: fc.boolean(),
    serverVersion: fc.constantFrom(undefined, 'v1.36.3'),
    origin: fc.constantFrom<Snapshot['origin']>(
      { kind: 'cluster', server: 'https://shop.example.com' },
      { kind: 'files', paths: ['shop.yaml', '-'] },
    ),
  })
  .map(({ snapshot, extras, failed, exhaustive, ...rest }) => ({
    ...snapshot,
    ...rest,
    types: new ResourceTypes(snapshot.types.all, { failed, exhaustive }),
    records: snapshot.records.map((record, index) => ({ ...record, ...extras[index] })),
  }));

describe('encodeSnapshot', () => {
  test('keeps what an object has no field for beside what is kept of a certificate', () => {
    const request = objectOfType(
      builtIn('certificatesigningrequests.certificates.k8s.io'),
      'node',
      {
        facts: { certificate: { notAfter: '2026-02-01T00:00:00Z' } },
        place: { path: 'shop.yaml', line: 3 },
      },
    );
    expect(roundTrip(snapshotOf([request]))).toEqual(snapshotOf([request]));
  });

  test('is undone by decodeSnapshot', () => {
    fc.assert(
      fc.property(anySaved, (snapshot) => {
        expect(roundTrip(snapshot)).toEqual(snapshot);
      }),
    );
  });

  test('puts types and coverage in front of the objects, and each object on a line', () => {
    const uid = '9c408f56-580f-485e-835a-58cd456678e7';
    const cron = customType('crons.example.com/v1 Cron');
    const snapshot = snapshotOf(
      [
        pod('web', {
          uid,
          facts: { nodeName: 'node-a', phase: 'Running' },
          ownerReferences: [ownedByGone('apps/v1 ReplicaSet web', { controller: true })],
          writers: [{ uid: 'uid-gone-web', manager: 'kcm', operation: 'Update', time: undefined }],
        }),
        configMap('settings', { place: { path: 'shop.yaml', line: 3 } }),
        pod('bare', { facts: { nodeName: '' }, labels: { app: 'bare' } }),
        objectOfType(cron, 'nightly'),
      ],
      {
        types: new ResourceTypes([pod('any').type, configMap('any').type], {
          failed: [{ group: 'metrics.k8s.io', version: undefined, message: 'is down' }],
          exhaustive: true,
        }),
        coverage: { read: [{ resource: 'pods' }] },
      },
    );
    const verbs =
      '"verbs":["create","delete","deletecollection","get","list","patch","update","watch"]';
    expect([...encodeSnapshot(snapshot, crc32)].join('').split('\n')).toEqual([
      '{"apiVersion":"kubectl-gc/v3","kind":"Snapshot","observedAt":"2026-01-03T00:00:00Z",' +
        '"serverVersion":"v1.36.3","origin":{"kind":"cluster","server":"https://shop.example.com"},' +
        '"coverage":{"read":[{"resource":"pods"}],"asked":[],"problems":[]},',
      '"resourceTypes":[',
      '{"group":"","version":"v1","kind":"Pod","resource":"pods","singular":"pod",' +
        `"shortNames":["po"],"categories":["all"],"namespaced":true,${verbs}},`,
      '{"group":"","version":"v1","kind":"ConfigMap","resource":"configmaps",' +
        `"singular":"configmap","shortNames":["cm"],"categories":[],"namespaced":true,${verbs}}`,
      '],',
      '"exhaustive":true,',
      '"failedGroupVersions":[{"group":"metrics.k8s.io","message":"is down"}],',
      '"objectCount":4,',
      '"objects":[',
      `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","namespace":"shop","uid":"${uid}",` +
        '"creationTimestamp":"2026-01-01T00:00:00Z","ownerReferences":[{"apiVersion":"apps/v1",' +
        '"kind":"ReplicaSet","name":"web","uid":"uid-gone-web","controller":true}]},' +
        '"spec":{"nodeName":"node-a"},"status":{"phase":"Running"},"kubectl-gc":{"writers":' +
        '[{"uid":"uid-gone-web","manager":"kcm","operation":"Update"}]}},',
      '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"settings","namespace":"shop",' +
        '"uid":"uid-configmap-shop-settings","creationTimestamp":"2026-01-01T00:00:00Z"},' +
        '"kubectl-gc":{"place":{"path":"shop.yaml","line":3}}},',
      '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"bare","namespace":"shop",' +
        '"uid":"uid-pod-shop-bare","creationTimestamp":"2026-01-01T00:00:00Z",' +
        '"labels":{"app":"bare"}},"spec":{}},',
      '{"apiVersion":"example.com/v1","kind":"Cron","metadata":{"name":"nightly",' +
        '"namespace":"shop","uid":"uid-cron-shop-nightly",' +
        '"creationTimestamp":"2026-01-01T00:00:00Z"},"kubectl-gc":{"type":' +
        '{"group":"example.com","version":"v1","kind":"Cron","resource":"crons",' +
        `"singular":"cron","shortNames":[],"categories":[],"namespaced":true,${verbs}}}}`,
      expect.stringMatching(/^\],"crc32":"[0-9a-f]{8}"\}$/),
      '',
    ]);
    expect(roundTrip(snapshot)).toEqual(snapshot);
  });
});

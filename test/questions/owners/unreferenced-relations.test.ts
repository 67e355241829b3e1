import { expect, test } from 'vitest';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import {
  relationInWords,
  unreferencedRelations,
} from '../../../src/questions/owners/unreferenced-relations.ts';
import { builderOf, deployment, ownedBy, pod, secret } from '../../support/builders.ts';

const issued = { 'cert-manager.io/certificate-name': 'web' };
const volume = builderOf('v1', 'PersistentVolume');
const endpoints = builderOf('v1', 'Endpoints');

test.each<[ObjectRecord, string[]]>([
  [secret('web-tls', { annotations: issued }), ['cert-manager issued it for Certificate web']],
  [
    secret('token', { annotations: { 'kubernetes.io/service-account.name': 'builder' } }),
    ['it is a token of ServiceAccount builder'],
  ],
  [
    volume('pv', { facts: { claimRef: { namespace: 'shop', name: 'data', uid: 'u' } } }),
    ['it is the volume of PersistentVolumeClaim shop/data'],
  ],
  [endpoints('web'), ['it lists the endpoints of Service web']],
  [
    pod('left', {
      labels: { 'batch.kubernetes.io/job-name': 'j', 'batch.kubernetes.io/controller-uid': 'u' },
    }),
    ['it was created by Job j'],
  ],
  [secret('plain'), []],
  [secret('owned', { annotations: issued, ownerReferences: [ownedBy(deployment('web'))] }), []],
])('$type.kind $name belongs to others without an owner reference', (record, expected) => {
  const words = unreferencedRelations(record).map((one) => relationInWords(one, record.namespace));
  expect(words).toEqual(expected);
});

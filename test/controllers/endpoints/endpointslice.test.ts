import { describe, expect, test } from 'vitest';
import { endpointSlice } from '../../../src/controllers/endpoints/endpointslice.ts';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { builderOf, type Details, ownedBy } from '../../support/builders.ts';
import { decide } from '../decided.ts';

const service = builderOf('v1', 'Service');
const endpoints = builderOf('v1', 'Endpoints');
const slice = builderOf('discovery.k8s.io/v1', 'EndpointSlice');
const selector = { matchLabels: { app: 'web' } };
const web = service('web', { facts: { selector } });

function sliceOf(by: string, details: Details = {}): ObjectRecord {
  return slice('s', {
    labels: {
      'kubernetes.io/service-name': 'web',
      'endpointslice.kubernetes.io/managed-by': by,
    },
    ownerReferences: [ownedBy(web, { controller: true })],
    facts: { addressType: 'IPv4' },
    ...details,
  });
}

const rulesOn = (records: readonly ObjectRecord[], options = {}) =>
  decide(endpointSlice, records, options).map(({ object, rule }) => `${object.name} ${rule}`);

describe('a Service’s slices (OTH-1)', () => {
  const by = 'endpointslice-controller.k8s.io';
  const stranger = [ownedBy(service('web', { uid: 'earlier' }), { controller: true })];

  test.each<[string, ObjectRecord[], string[]]>([
    ['fits', [web, sliceOf(by)], []],
    ['owned by another', [web, sliceOf(by, { ownerReferences: stranger })], ['s OTH-1']],
    ['owned by none', [web, sliceOf(by, { ownerReferences: [] })], ['s OTH-1']],
    ['owned, but not controlled', [web, sliceOf(by, { ownerReferences: [ownedBy(web)] })], []],
    [
      'owned by another one as well',
      [web, sliceOf(by, { ownerReferences: [...stranger, ownedBy(web)] })],
      [],
    ],
    ...[{ kind: 'Gateway' }, { apiVersion: 'serving.knative.dev/v1' }].map(
      (other): [string, ObjectRecord[], string[]] => [
        `owned by what has that uid, but is no Service: ${JSON.stringify(other)}`,
        [web, sliceOf(by, { ownerReferences: [{ ...ownedBy(web), ...other }] })],
        ['s OTH-1'],
      ],
    ),
    [
      'being deleted already',
      [web, sliceOf(by, { ownerReferences: stranger, deleting: 'background' })],
      [],
    ],
    ['without labels', [web, slice('s', { ownerReferences: stranger })], []],
    ['of which only metadata was read', [web, sliceOf(by, { facts: undefined })], []],
    [
      'of a Service of which only metadata was read',
      [service('web'), sliceOf(by, { ownerReferences: stranger })],
      [],
    ],
    ['of no address type', [web, sliceOf(by, { facts: { addressType: 'FQDN' } })], ['s OTH-1']],
    [
      'of a family that the Service lacks',
      [
        service('web', { facts: { selector, ipFamilies: ['IPv4'] } }),
        sliceOf(by, { facts: { addressType: 'IPv6' } }),
      ],
      ['s OTH-1'],
    ],
    [
      'of a name elsewhere',
      [
        service('web', { facts: { selector, serviceType: 'ExternalName' } }),
        sliceOf(by, { ownerReferences: stranger }),
      ],
      [],
    ],
    ['managed by another', [web, sliceOf('me', { ownerReferences: stranger })], []],
    ['without its Service', [sliceOf(by, { ownerReferences: stranger })], []],
    [
      'no selector',
      [service('web', { facts: {} }), sliceOf(by, { ownerReferences: stranger })],
      [],
    ],
  ])('%s', (_, records, rules) => {
    expect(rulesOn(records)).toEqual(rules);
  });
});

describe('mirrored slices (OTH-2)', () => {
  const mirrored = sliceOf('endpointslicemirroring-controller.k8s.io');
  const bare = service('web', { facts: {} });
  const skip = endpoints('web', { labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } });
  const leader = endpoints('web', {
    annotations: { 'control-plane.alpha.kubernetes.io/leader': '{}' },
  });

  test.each<[string, ObjectRecord[], string[]]>([
    ['fits', [bare, endpoints('web'), mirrored], []],
    ['no Endpoints', [bare, mirrored], ['s OTH-2']],
    ['no Service', [endpoints('web'), mirrored], ['s OTH-2', 'web OTH-4']],
    ['a selector', [web, endpoints('web'), mirrored], ['s OTH-2']],
    ['not to be mirrored', [bare, skip, mirrored], ['s OTH-2']],
    [
      'a selector, for a name elsewhere',
      [
        service('web', { facts: { selector, serviceType: 'ExternalName' } }),
        endpoints('web'),
        mirrored,
      ],
      ['s OTH-2'],
    ],
    ['of an election', [bare, leader, mirrored], ['s OTH-2']],
  ])('%s', (_, records, rules) => {
    expect(rulesOn(records)).toEqual(rules);
  });

  test('Endpoints without a Service go at the next start, unless they serve an election (OTH-4)', () => {
    expect(rulesOn([endpoints('web'), endpoints('db')])).toEqual(['web OTH-4', 'db OTH-4']);
    expect(rulesOn([leader])).toEqual([]);
  });

  test('it says why', () => {
    const told = decide(endpointSlice, [
      service('web', { facts: { selector, ipFamilies: ['IPv4'] } }),
      sliceOf('endpointslice-controller.k8s.io', { facts: { addressType: 'IPv6' } }),
      sliceOf('endpointslice-controller.k8s.io', { uid: 'other', ownerReferences: [] }),
    ]);
    expect(told.map(({ because }) => because)).toEqual([
      'its address type IPv6 is none of Service web, which has IPv4',
      'it is labelled as one of Service web, but not owned by it',
    ]);
  });

  test('what could not be read may be there', () => {
    expect(rulesOn([bare, mirrored], { unread: ['endpoints'] })).toEqual([]);
    expect(rulesOn([endpoints('web'), mirrored], { unread: ['services'] })).toEqual([]);
  });
});

import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { endpointSlice } from '../../../src/controllers/endpoints/endpointslice.ts';
import type { ObjectRecord, OwnerReference } from '../../../src/kube/object-record.ts';
import { builderOf, type Details, ownedBy } from '../../support/builders.ts';
import { rowsOf } from '../../support/rows.ts';
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

/** A Service by words: `selector`, `IPv4` for its only family, `elsewhere` for an external name; `unread` for bare metadata. */
function servicesOf(text: string): ObjectRecord[] {
  const words = text.split(' ');
  if (text === 'none') return [];
  const facts = {
    ...(words.includes('selector') && { selector }),
    ...(words.includes('IPv4') && { ipFamilies: ['IPv4'] }),
    ...(words.includes('elsewhere') && { serviceType: 'ExternalName' }),
  };
  return [text === 'unread' ? service('web') : service('web', { facts })];
}

describe('a Service’s slices (OTH-1)', () => {
  const stranger = ownedBy(service('web', { uid: 'earlier' }), { controller: true });
  const owners: Readonly<Record<string, OwnerReference[]>> = {
    own: [ownedBy(web, { controller: true })],
    stranger: [stranger],
    uncontrolled: [ownedBy(web)],
    both: [stranger, ownedBy(web)],
    gateway: [ownedBy(web, { kind: 'Gateway' })],
    knative: [ownedBy(web, { apiVersion: 'serving.knative.dev/v1' })],
  };
  const rows = rowsOf(`
    fits                                         | selector           | own          |                           |
    owned by another                             | selector           | stranger     |                           | s OTH-1
    owned by none                                | selector           |              |                           | s OTH-1
    owned, but not controlled                    | selector           | uncontrolled |                           |
    owned by another one as well                 | selector           | both         |                           |
    owned by what has that uid, but is a Gateway | selector           | gateway      |                           | s OTH-1
    owned by what has that uid, but is another Service | selector     | knative      |                           | s OTH-1
    being deleted already                        | selector           | stranger     | deleting: background      |
    without labels                               | selector           | stranger     | {labels: null, facts: null} |
    of which only metadata was read              | selector           | own          | facts: null               |
    of a Service of which only metadata was read | unread             | stranger     |                           |
    of no address type                           | selector           | own          | facts: {addressType: FQDN} | s OTH-1
    of a family that the Service lacks           | selector IPv4      | own          | facts: {addressType: IPv6} | s OTH-1
    of a name elsewhere                          | selector elsewhere | stranger     |                           |
    managed by another                           | selector           | stranger     | by: me                    |
    without its Service                          | none               | stranger     |                           |
    no selector                                  |                    | stranger     |                           |
  `);
  test.each(rows)('%s', (_, of = '', owned = '', given = '', rules = '') => {
    const { by = 'endpointslice-controller.k8s.io', facts, ...details } = parse(given) ?? {};
    const read = facts === null ? { facts: undefined } : facts && { facts };
    const ownerReferences = owners[owned] ?? [];
    const slice = sliceOf(by, { ownerReferences, ...read, ...details });
    expect(rulesOn([...servicesOf(of), slice]).join(', ')).toBe(rules);
  });
});

describe('mirrored slices (OTH-2)', () => {
  const mirrored = sliceOf('endpointslicemirroring-controller.k8s.io');
  const bare = service('web', { facts: {} });
  const leader = endpoints('web', {
    annotations: { 'control-plane.alpha.kubernetes.io/leader': '{}' },
  });
  const skip = endpoints('web', { labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } });
  const mirrors: Readonly<Record<string, ObjectRecord>> = { web: endpoints('web'), skip, leader };

  test.each(
    rowsOf(`
      fits                             |                    | web    |
      no Endpoints                     |                    |        | s OTH-2
      no Service                       | none               | web    | s OTH-2, web OTH-4
      a selector                       | selector           | web    | s OTH-2
      not to be mirrored               |                    | skip   | s OTH-2
      a selector, for a name elsewhere | selector elsewhere | web    | s OTH-2
      of an election                   |                    | leader | s OTH-2
    `),
  )('%s', (_, of = '', name = '', rules = '') => {
    const from = mirrors[name];
    const records = [...servicesOf(of), ...(from ? [from] : []), mirrored];
    expect(rulesOn(records).join(', ')).toBe(rules);
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
    expect(told.map(({ because }) => because).join('\n')).toMatchInlineSnapshot(`
      "its address type IPv6 is none of Service web, which has IPv4
      it is labelled as one of Service web, but not owned by it"
    `);
  });

  test('what could not be read may be there', () => {
    expect(rulesOn([bare, mirrored], { unread: ['endpoints'] })).toEqual([]);
    expect(rulesOn([endpoints('web'), mirrored], { unread: ['services'] })).toEqual([]);
  });
});

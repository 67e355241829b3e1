import { expect, test } from 'vitest';
import { ipAddressRepair } from '../../../src/controllers/endpoints/ip-address-repair.ts';
import type { ObjectFacts } from '../../../src/kube/facts/object-facts.ts';
import { builderOf, type Details } from '../../support/builders.ts';
import { ago, decide, hour, timed } from '../decided.ts';

const addressOf = builderOf('networking.k8s.io/v1', 'IPAddress');
const service = builderOf('v1', 'Service');
const labels = {
  'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io',
  'ipaddress.kubernetes.io/ip-family': 'IPv4',
};
const parentOf = (resource: string, name: string, group?: string): ObjectFacts => ({
  parentRef: { ...(group && { group }), resource, namespace: 'shop', name },
});
const address = (details: Details = {}) =>
  addressOf('10.0.0.7', {
    namespace: '',
    labels,
    creationTimestamp: ago(hour),
    facts: parentOf('services', 'web'),
    ...details,
  });
const web = (
  clusterIPs: readonly string[] | undefined,
  more: ObjectFacts = {},
  created = ago(2 * hour),
) =>
  service('web', {
    creationTimestamp: created,
    facts: { ...(clusterIPs && { clusterIPs }), ...more },
  });
const unread = { unread: ['services'] };

test.each<[string, Parameters<typeof timed>[1], object, unknown[]]>([
  ['a Service that has it', [address(), web(['10.0.0.7'])], {}, []],
  ['a Service that does not exist', [address()], {}, [['10.0.0.7', 0, 180]]],
  [
    'a Service that does not exist, of a new address',
    [address({ creationTimestamp: ago(20_000) })],
    {},
    [['10.0.0.7', 40, 220]],
  ],
  ['a Service that was not read', [address()], unread, []],
  ['a Service of which only metadata was read', [address(), service('web')], {}, []],
  ['a Service whose addresses were not read', [address(), service('web', { facts: {} })], {}, []],
  ['a Service with another address', [address(), web(['10.0.0.8'])], {}, [['10.0.0.7', 0, 180]]],
  [
    'a Service with another address that is older than the IPAddress',
    [address({ creationTimestamp: ago(2_000) }), web(['10.0.0.8'])],
    {},
    [['10.0.0.7', 3, 183]],
  ],
  [
    'a Service that is external now',
    [address({ creationTimestamp: ago(50_000) }), web(undefined, { serviceType: 'ExternalName' })],
    {},
    [['10.0.0.7', 10, 190]],
  ],
  ['a headless Service', [address(), web(['None'])], {}, [['10.0.0.7', 0, 180]]],
  [
    'a Gateway',
    [address({ facts: parentOf('gateways', 'web', 'example.com') })],
    {},
    [['10.0.0.7', 0, 180]],
  ],
  ['another manager', [address({ labels: {} })], {}, []],
  ['an address of which only metadata was read', [address({ facts: undefined })], {}, []],
  ['an address that is being deleted', [address({ deleting: 'background' })], {}, []],
])('the API server deletes addresses that no Service has: %s', (_, records, options, expected) => {
  expect(timed(ipAddressRepair, records, options)).toEqual(expected);
});

test.each<[string, Details]>([
  ['another Service is named', { facts: parentOf('services', 'gone') }],
  ['a Gateway is named', { facts: parentOf('gateways', 'web', 'example.com') }],
  [
    'the label of the family is wrong',
    { labels: { ...labels, 'ipaddress.kubernetes.io/ip-family': 'IPv6' } },
  ],
  ['it has no labels', { labels: {} }],
])('the API server recreates the address of a Service where %s', (_, details) => {
  const decisions = decide(ipAddressRepair, [address(details), web(['10.0.0.7'])]);
  expect(decisions.map(({ rule, confidence }) => [rule, confidence])).toEqual([
    ['BOOK-5', 'likely'],
  ]);
});

import { expect, test } from 'vitest';
import { holdsDomain, holdsWord, tracesOf } from '../../../src/controllers/finalizers/traces.ts';

test.each([
  [
    'db.example.com/cleanup',
    'db.example.com',
    ['db.example.com'],
    ['db.example.com', 'example.com'],
    ['db'],
  ],
  [
    'example.com/db-operator-finalizer',
    'apps',
    ['example.com'],
    ['example.com'],
    ['example', 'db-operator'],
  ],
  [
    'finalizer.keda.sh',
    'keda.sh',
    ['finalizer.keda.sh', 'keda.sh'],
    ['finalizer.keda.sh', 'keda.sh'],
    ['keda'],
  ],
  ['cluster.x-k8s.io/hook', '', ['cluster.x-k8s.io'], ['cluster.x-k8s.io'], ['cluster']],
  ['kubernetes.io/pvc-protection', '', [], [], ['pvc-protection']],
  ['acme-cleaner', '', [], [], ['acme-cleaner']],
  ['x/y', 'storage.k8s.io', [], [], []],
])('%s on %s', (finalizer, group, domains, wideDomains, words) => {
  expect(tracesOf(finalizer, group)).toEqual({ domains, wideDomains, words });
});

test('a domain is found with dots and with dashes, a word only as a whole', () => {
  expect(holdsDomain('5f3c2a.example.com', 'example.com')).toBe(true);
  expect(holdsDomain('leader-example-com', 'example.com')).toBe(true);
  expect(holdsDomain('leader', 'example.com')).toBe(false);
  expect(holdsWord('acme/DB_operator', 'db')).toBe(true);
  expect(holdsWord('prod-db-operator', 'db-operator')).toBe(true);
  expect(holdsWord('mariadb', 'db')).toBe(false);
});

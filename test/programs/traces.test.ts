import { expect, test } from 'vitest';
import { holdsDomain, holdsWord, isNamedIn, tasksIn, tracesOf } from '../../src/programs/traces.ts';
import { rowsOf } from '../support/rows.ts';

/** A finalizer, the API group of its object, its domains, those above them, and words. A word of four letters says too little. */
const rows = rowsOf(`
  db.example.com/cleanup            | db.example.com | db.example.com     | example.com    | db
  example.com/db-operator-finalizer | apps           | example.com        |                | db-operator
  finalizer.keda.sh                 | keda.sh        | finalizer.keda.sh keda.sh |         | keda
  cluster.x-k8s.io/hook             |                | cluster.x-k8s.io   |                |
  machinepool.cluster.x-k8s.io      | cluster.x-k8s.io | machinepool.cluster.x-k8s.io cluster.x-k8s.io | | machinepool
  system.kubernetes.acme.dev/node-status |           | system.kubernetes.acme.dev | kubernetes.acme.dev acme.dev | acme
  kubernetes.io/pvc-protection      |                |                    |                | pvc-protection
  acme-cleaner                      |                |                    |                | acme-cleaner
  x/y                               | storage.k8s.io |                    |                |
  acme.com/abcd                     |                | acme.com           |                | acme
  acme.com/abcde                    |                | acme.com           |                | acme abcde
  finalizer.acme.dev                |                | finalizer.acme.dev | acme.dev       | acme
  acmefinalizers                    |                |                    |                |
  cleanerfinalizer                  |                |                    |                | cleaner
  finalizers-of-acme                |                |                    |                | finalizers-of-acme
  operator.db.example.com/x         |                | operator.db.example.com | db.example.com example.com | db
`);
test.each(rows)('%s on %s', (finalizer = '', group = '', own = '', above = '', words = '') => {
  const domains = own.split(' ').filter(Boolean);
  expect(tracesOf(finalizer, group)).toEqual({
    domains,
    wideDomains: [...domains, ...above.split(' ').filter(Boolean)],
    words: words.split(' ').filter(Boolean),
  });
});

test('text that is longer than any domain names none', () => {
  const long = `${'a.'.repeat(1000)}dev`;
  expect(tracesOf(`${long}/cleanup`, '').domains).toEqual([]);
  expect(tracesOf(`${long.slice(-253)}/cleanup`, '').domains).toEqual([long.slice(-253)]);
});

test('a domain is found with dots and with dashes, a word only as a whole', () => {
  expect(holdsDomain('5f3c2a.example.com', 'example.com')).toBe(true);
  expect(holdsDomain('leader-example-com', 'example.com')).toBe(true);
  expect(holdsDomain('leader', 'example.com')).toBe(false);
  expect(holdsWord('acme/DB_operator', 'db')).toBe(true);
  expect(holdsWord('prod-db-operator', 'db-operator')).toBe(true);
  expect(holdsWord('mariadb', 'db')).toBe(false);
});

test('a Lease is named after a program by its domain, one above it, or a word', () => {
  const traces = tracesOf('db.example.com/cleanup', 'shop.example.org');
  const named = [
    '5f3c.db.example.com',
    'leader-example-com',
    'shop-leader',
    'prod-db',
    'mariadb',
    'example',
  ];
  expect(named.filter((lease) => isNamedIn(lease, traces))).toEqual(named.slice(0, 4));
  expect(isNamedIn('x', tracesOf('x/y', ''))).toBe(false);
});

test('the tasks of a finalizer are distinguished from the names in it', () => {
  expect(tasksIn('cleanup.bookings.example.org/pending-cleanup')).toEqual(['cleanup']);
  expect(tasksIn('db.example.com/drain')).toEqual([]);
});

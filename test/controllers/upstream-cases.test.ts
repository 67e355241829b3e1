import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** The names of upstream's cases for each collector, which its tests here have, too. */
const cases: Readonly<Record<string, readonly string[]>> = {
  'pod-gc/pass.test.ts': [
    'delete pod a which is PodFailed and pod b which is PodSucceeded',
    'threshold = 0, disables terminated pod deletion',
    'threshold = 1, delete pod a which is PodFailed and pod b which is PodSucceeded',
    'threshold = 1, delete pod b which is PodSucceeded',
    'threshold = 1, delete pod a which is PodFailed',
    "threshold = 5, don't delete pod",
    'nodes present in lister',
    'nodes present in client',
    'no nodes',
    'no nodes, one running pod',
    'quarantine not finished',
    'wrong nodes',
    'some nodes missing',
    'node added to client after quarantine',
    'node added to informer after quarantine',
    'node deleted from client after quarantine',
    'node deleted from informer after quarantine',
    'Unscheduled pod in any phase must be deleted',
    'Scheduled pod in any phase must not be deleted',
    'pods have deletion timestamp set and the corresponding nodes are not ready',
    'some pods have deletion timestamp and/or phase set and some of the corresponding nodes have an outofservice taint that are not ready',
    'pods deleted from node tainted out-of-service',
    'orphaned pod should have DisruptionTarget condition added before deletion',
  ],
  'jobs/ttl-after-finished.test.ts': [
    'Error case: Job unfinished',
    'Error case: Job completed now, no TTL',
    'Job completed now, 0s TTL',
    'Job completed now, 10s TTL',
    'Job completed 10s ago, 15s TTL',
    'Error case: Job failed now, no TTL',
    'Job failed now, 0s TTL',
    'Job failed now, 10s TTL',
    'Job failed 10s ago, 15s TTL',
  ],
  'jobs/cronjob-history.test.ts': [
    "jobs are still deleted when a cronjob can't create jobs due to jobs quota being reached (avoiding a deadlock)",
    'jobs are not deleted if history limit not reached',
  ],
  'credentials/csr-cleaner.test.ts': [
    'no delete approved not passed deadline',
    'no delete approved passed deadline not issued',
    'delete approved passed deadline',
    'no delete denied not passed deadline',
    'delete denied passed deadline',
    'no delete failed not passed deadline',
    'delete failed passed deadline',
    'no delete pending not passed deadline',
    'delete pending passed deadline',
    'delete approved unissued past deadline',
    'no delete approved unissued not past deadline',
    'no delete approved not passed deadline unexpired',
    'delete approved not passed deadline expired',
    'delete approved passed deadline unparseable',
    'Pending request within the threshold should be left alone',
    'Pending request outside the threshold should be deleted',
    'Terminal request within the threshold should be left alone',
    'Terminal request outside the threshold should be deleted',
  ],
  'volumes/persistentvolume-reclaim.test.ts': [
    '8-1 - successful delete',
    '8-2 - successful delete with prebound volume',
    '8-3 - plugin not found',
    '8-4 - newDeleter returns error',
    '8-5 - delete returns error',
    '8-6 - volume is deleted before deleting',
    '8-7 - volume is bound before deleting',
    '8-9 - prebound volume is deleted while the claim exists',
    '8-10-1 - external deleter when volume is dynamic provisioning',
    '8-10-2 - external deleter when volume is static provisioning',
    '8-10-3 - external deleter when volume is migrated',
    '8-11 - two PVs provisioned for a single claim',
    '8-12 - two PVs externally provisioned for a single claim',
    '8-13 - volume has deletion timestamp and processed',
    '9-1 - delete returns error',
  ],
};

test.each(Object.entries(cases))('%s has a test for each of upstream’s cases', (file, names) => {
  const text = readFileSync(new URL(file, import.meta.url), 'utf8');
  // In quotes, or in the first cell of a row.
  const cells = new Set(text.split('\n').map((line) => line.split('|')[0]?.trim()));
  const isThere = (name: string) =>
    cells.has(name) || text.includes(`'${name}'`) || text.includes(`"${name}"`);
  expect(names.filter((name) => !isThere(name))).toEqual([]);
});

import { describe, expect, test } from 'vitest';
import { orphanedJobPods } from '../../../../src/audit/rules/jobs.ts';
import {
  configMap,
  type Details,
  job,
  ownedBy,
  pod,
  type SnapshotOptions,
} from '../../../support/builders.ts';
import { findingsOf } from '../../../support/findings.ts';

const labels = {
  'batch.kubernetes.io/controller-uid': 'uid-job-shop-import',
  'batch.kubernetes.io/job-name': 'import',
};
const left = (details: Details = {}) => pod('import-x7', { labels, ...details });
const finding = {
  at: 'Pod import-x7',
  because:
    'its Job import was deleted and left it behind (the default of batch/v1 deletes that name no policy)',
  consequences: ['never collected'],
  gcRule: 'GC-55',
  fix: 'delete the pod: kubectl delete pod/import-x7 -n shop',
  edits: [],
};

describe('a pod that a Job left behind', () => {
  test.each<[string, Details]>([
    ['has the labels of today', {}],
    ['has the labels of old', { labels: { 'controller-uid': 'u', 'job-name': 'import' } }],
  ])('%s', (_, details) => {
    expect(findingsOf(orphanedJobPods, [left(details)])).toEqual([finding]);
  });

  test('although a Job of that name was created again', () => {
    expect(findingsOf(orphanedJobPods, [left(), job('import', { uid: 'uid-2' })])).toEqual([
      finding,
    ]);
  });

  test('although it is being deleted already', () => {
    expect(findingsOf(orphanedJobPods, [left({ deleting: 'background' })])).toEqual([
      { ...finding, consequences: ['already being deleted'] },
    ]);
  });
});

describe('a pod was not left behind', () => {
  const live = job('import');
  test.each<[string, Details, SnapshotOptions]>([
    ['that has other labels', { labels: { app: 'web' } }, {}],
    ['that has no labels', { labels: undefined }, {}],
    ['that names no Job', { labels: { 'controller-uid': 'u' } }, {}],
    ['that has an owner', { ownerReferences: [ownedBy(live)] }, {}],
    ['for all we know, when Jobs were not read', {}, { unread: ['jobs.batch'] }],
  ])('%s', (_, details, options) => {
    expect(findingsOf(orphanedJobPods, [left(details)], options)).toEqual([]);
  });

  test('whose Job lives', () => {
    expect(findingsOf(orphanedJobPods, [left(), live])).toEqual([]);
  });

  test('that is none', () => {
    expect(findingsOf(orphanedJobPods, [configMap('import-x7', { labels })])).toEqual([]);
  });
});

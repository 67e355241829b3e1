import { describe, expect, test } from 'vitest';
import type { Fate, Plan } from '../../../src/deletion/plan/plan.ts';
import {
  canDisappear,
  disappearingCount,
  disappearsOnceReleased,
  mayDeleteMore,
} from '../../../src/deletion/plan/plan-totals.ts';
import type { CoverageProblem } from '../../../src/snapshot/coverage.ts';
import { configMap, deployment } from '../../support/builders.ts';
import { planned } from './planned.ts';

test.each<[Fate, Fate | undefined, boolean, boolean]>([
  ['deleted', undefined, true, false],
  ['recreated', undefined, true, false],
  ['terminating', undefined, true, false],
  ['unknown', undefined, true, false],
  ['kept', undefined, false, false],
  ['orphaned', undefined, false, false],
  ['kept', 'deleted', true, true],
  ['kept', 'recreated', true, true],
  ['kept', 'unknown', true, false],
  ['kept', 'terminating', true, false],
  ['kept', 'orphaned', false, false],
  ['terminating', 'kept', true, false],
])('an object that is %s now, and then %s', (fate, then, may, onlyThen) => {
  const object = { fate, ...(then && { then }) };
  expect({ may: canDisappear(object), onlyThen: disappearsOnceReleased(object) }).toEqual({
    may,
    onlyThen,
  });
});

describe('how many go', () => {
  const [a, b] = [configMap('a'), deployment('b')];
  const shown = (changes: Partial<Plan>) => {
    const plan = { ...planned([a, b], [a, b]), ...changes };
    return [disappearingCount(plan), mayDeleteMore(plan)];
  };
  const withFirst = (fate: Fate, then?: Fate) => ({
    objects: planned([a, b], [a, b]).objects.map((object, at) =>
      at === 0 ? { ...object, fate, ...(then && { then }) } : object,
    ),
  });
  const unread = (problem: Partial<CoverageProblem>) => ({
    coverage: {
      complete: false,
      kinds: 1,
      objects: 2,
      problems: [{ reason: 'forbidden', message: 'no', ...problem } as CoverageProblem],
    },
  });
  const orphaning = {
    requests: planned([a], a, { policy: 'Orphan' }).requests,
  };

  test('is exact where all was read and all is decided', () => {
    expect(shown({})).toEqual(['2 objects', false]);
    expect(shown(withFirst('kept'))).toEqual(['1 object', false]);
  });

  test('is the least where one is unknown, now or then', () => {
    expect(shown(withFirst('unknown'))).toEqual(['at least 2 objects', true]);
    expect(shown(withFirst('kept', 'unknown'))).toEqual(['at least 2 objects', true]);
  });

  test.each<[string, Partial<CoverageProblem>, boolean]>([
    ['pods', { resource: 'pods', apiVersion: 'v1' }, true],
    ['an API without known kinds', { apiVersion: 'example.com/v1' }, true],
    ['volumes, which have no owners', { resource: 'persistentvolumes', apiVersion: 'v1' }, false],
    ['attachments of volumes', { resource: 'volumeattachments.storage.k8s.io' }, false],
    ['metrics', { apiVersion: 'metrics.k8s.io/v1beta1' }, false],
    ['external metrics', { apiVersion: 'external.metrics.k8s.io/v1beta1' }, false],
    ['an API named like metrics', { apiVersion: 'notmetrics.k8s.io/v1' }, true],
    ['metrics without a version', { apiVersion: 'metrics.k8s.io' }, false],
    ['roles set aside', { resource: 'roles.rbac.authorization.k8s.io', setAside: true }, true],
  ])('was not read: %s', (_, problem, open) => {
    expect(shown(unread(problem))).toEqual([open ? 'at least 2 objects' : '2 objects', open]);
  });

  test('is exact with Orphan, whatever was not read, but not of the objects of a namespace', () => {
    const problem = unread({ resource: 'pods' });
    expect(shown({ ...problem, ...orphaning })).toEqual(['2 objects', false]);
    const requests = orphaning.requests.map((one) => ({ ...one, kind: 'Namespace' }));
    expect(shown({ ...problem, requests })).toEqual(['at least 2 objects', true]);
    const background = planned([a], a).requests;
    expect(shown({ ...problem, requests: [...orphaning.requests, ...background] })[1]).toBe(true);
    expect(mayDeleteMore({ ...planned([a], a), ...problem, requests: background })).toBe(true);
    // A saved plan may have no request left to send.
    expect(mayDeleteMore({ ...planned([a], a), ...problem, requests: [] })).toBe(true);
  });
});

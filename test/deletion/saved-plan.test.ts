import { describe, expect, test } from 'vitest';
import { digestOf, readPlan, sealPlan } from '../../src/deletion/saved-plan.ts';
import { isGcError } from '../../src/errors.ts';
import { deployment, ownedBy, replicaSet } from '../support/builders.ts';
import { planned } from './plan/planned.ts';

const web = deployment('web', { resourceVersion: '7' });
const plan = planned([web, replicaSet('web-1', { ownerReferences: [ownedBy(web)] })], web);
const sealed = sealPlan(plan);
const text = JSON.stringify(sealed, undefined, 2);

test('a sealed plan is read back as it was', () => {
  expect(readPlan(text, 'plan.json')).toEqual(sealed);
  expect(sealed.digest).toMatch(/^sha256:[0-9a-f]{64}$/);
});

test('the digest does not depend on the order of keys', () => {
  const turned = Object.fromEntries(Object.entries(plan).reverse()) as unknown as typeof plan;
  expect(digestOf(turned)).toBe(sealed.digest);
});

test('a sealed plan that was changed is sealed again', () => {
  const changed = { ...sealed, createdAt: '2027-01-01T00:00:00Z' };
  expect(sealPlan(changed)).toEqual({ ...changed, digest: digestOf(changed) });
});

test('the digest depends on everything else', () => {
  const changes: object[] = [
    { createdAt: '2027-01-01T00:00:00Z' },
    { cluster: { ...plan.cluster, uid: 'another' } },
    { requests: [] },
    { objects: plan.objects.slice(1) },
    { objects: [...plan.objects].reverse() },
  ];
  const digests = changes.map((change) => digestOf({ ...plan, ...change }));
  expect(new Set([sealed.digest, ...digests]).size).toBe(changes.length + 1);
});

/** What a reader of a file with this text is told. */
function refusal(content: string): [exitCode: number, message: string] {
  try {
    readPlan(content, 'plan.json');
    return [0, 'read'];
  } catch (error) {
    if (!isGcError(error)) throw error;
    return [error.exitCode, error.message];
  }
}

/** The plan with another value in one place, as `objects.1.fate`. */
function edited(place: string, value: unknown): string {
  const keys = place.split('.');
  const last = keys.pop() ?? '';
  const copy = JSON.parse(text);
  const at = keys.reduce((part, key) => part[key], copy);
  at[last] = value;
  return JSON.stringify(copy);
}

describe('what is no plan is refused', () => {
  const noPlans = [
    '',
    'deployment: web',
    `{"a":\n${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
    '[]',
    'null',
    '{}',
    '{"apiVersion": "v1", "kind": "Pod"}',
    '{"apiVersion": "kubectl-gc/v2", "kind": "Plan"}',
    text.slice(0, 300),
  ];
  test('and it is said what it is', () => {
    const refusals = noPlans.map(refusal);
    expect(refusals.map(([exitCode]) => exitCode)).toEqual(noPlans.map(() => 2));
    expect(refusals.map(([, message]) => message).join('\n')).toMatchInlineSnapshot(`
      "plan.json is empty
      plan.json, line 1: invalid JSON
      plan.json, line 2: invalid JSON: it is nested too deeply
      plan.json contains no plan, but a list
      plan.json contains no plan, but null
      plan.json contains no plan, but something without a kind
      plan.json contains no plan, but a Pod
      plan.json is a plan of version kubectl-gc/v2, and this kubectl-gc knows kubectl-gc/v1
      plan.json is cut off: it ends within the plan"
    `);
  });

  const strange = { reason: 'forbidden', message: 'x', resource: { toString: 1 } };
  const fates = 'deleted, orphaned, kept, terminating, recreated, unknown';
  test.each<[string, unknown, string]>([
    ['requests', undefined, 'requests is missing'],
    ['digest', 'sha256:1', 'digest is "sha256:1", not a digest'],
    ['cluster', 'here', 'cluster is "here", not a mapping'],
    ['objects.1.fate', 'gone', `objects[1].fate is "gone", not one of ${fates}`],
    [
      'requests.0.gracePeriodSeconds',
      'now',
      'requests[0].gracePeriodSeconds is "now", not a whole number',
    ],
    ['requests.0.name', '..', 'requests[0].name is "..", not a name'],
    ['objects.1.namespace', '.', 'objects[1].namespace is ".", not a name'],
    ['coverage.problems', [null], 'coverage.problems[0] is nothing, not a mapping'],
    ['coverage.problems', [strange], 'coverage.problems[0].resource is a mapping, not a string'],
    ['objects.0.waitsFor', [{ finalizer: 'a/b' }], 'objects[0].waitsFor[0].object is missing'],
    ['objects.0.waitsFor', [{ kubelet: 5 }], 'objects[0].waitsFor[0].kubelet is 5, not a string'],
    ['objects', {}, 'objects is a mapping, not a list'],
  ])('a plan whose %s is %j', (place, value, fault) => {
    const [exitCode, message] = refusal(edited(place, value));
    expect([exitCode, message?.split(': ').slice(1).join(': ')]).toEqual([2, fault]);
  });

  test('a plan that was edited, in every one of its parts', () => {
    const createdAt = '2027-01-01T00:00:00Z';
    const digest = digestOf({ ...plan, createdAt });
    const [exitCode, message] = refusal(edited('createdAt', createdAt));
    expect(exitCode).toBe(2);
    expect(
      message?.replace(digest, 'DIGEST').replace(sealed.digest, 'SEALED'),
    ).toMatchInlineSnapshot(
      `"plan.json was changed after it was made: its digest is DIGEST, and it says SEALED"`,
    );
    expect(refusal(edited('more', 'than there was'))).toMatchObject([2, expect.any(String)]);
  });
});

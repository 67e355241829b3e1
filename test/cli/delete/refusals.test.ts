import { describe, expect, test } from 'vitest';
import type { DeletionIntent, Plan } from '../../../src/deletion/plan/plan.ts';
import { unreadOf } from '../../../src/deletion/plan/plan-totals.ts';
import { isGcError } from '../../../src/errors.ts';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { referenceTo } from '../../../src/kube/object-reference.ts';
import { refusalsOf, refuseDangerous, refuseUnreadSince } from '../../../src/perform/limits.ts';
import { checkedDeleteOptions } from '../../../src/shell/flags/delete-options.ts';
import { limitsOf } from '../../../src/shell/plan/planning.ts';
import type { CoverageProblem } from '../../../src/snapshot/coverage.ts';
import { planned } from '../../deletion/plan/planned.ts';
import { by, namespace } from '../../deletion/plan/told.ts';
import { builderOf, configMap, node, pod, snapshotOf, widget } from '../../support/builders.ts';
import { rowsOf } from '../../support/rows.ts';

const settings = configMap('settings');
/** What could not be read, of the core group where no other version is named. */
const unread = (
  resource: string,
  message = `cannot list ${resource}`,
  more: Partial<CoverageProblem> = {},
): CoverageProblem => ({ reason: 'forbidden', message, resource, apiVersion: 'v1', ...more });
const unserved = (apiVersion: string): CoverageProblem => {
  const message = `the kinds of the API ${apiVersion} are unknown`;
  return { reason: 'discovery-failed', message, apiVersion };
};
const secrets = unread('secrets');
const metrics: CoverageProblem = {
  reason: 'unavailable',
  message: 'cannot list pods.metrics.k8s.io',
  apiVersion: 'metrics.k8s.io/v1beta1',
};
const volumes = unread('persistentvolumes');

function withUnread(...problems: CoverageProblem[]): Plan {
  return withProblems(planned([settings], settings), problems);
}

function withProblems(plan: Plan, problems: readonly CoverageProblem[]): Plan {
  return { ...plan, coverage: { ...plan.coverage, complete: problems.length === 0, problems } };
}

const background = checkedDeleteOptions({});
const shop = namespace('shop');

test.each<[string, ObjectRecord, Partial<DeletionIntent>, readonly CoverageProblem[]]>([
  ['background', settings, {}, [secrets]],
  ['orphan', settings, { policy: 'Orphan' }, []],
  ['a namespace', shop, { policy: 'Orphan' }, [secrets]],
])('unread kinds that matter: %s', (_, target, intent, expected) => {
  const plan = withProblems(planned([target], target, intent), [metrics, secrets, volumes]);
  expect(unreadOf(plan)).toEqual(expected);
});

const aside = (resource: string): CoverageProblem => {
  return { reason: 'forbidden', message: `cannot list ${resource}`, resource, setAside: true };
};
const templates = aside('podtemplates');
const roles = aside('roles.rbac.authorization.k8s.io');

test('kinds that were set aside do not count, but Roles where an operator may have made them', () => {
  const problems = [templates, roles];
  expect(unreadOf(withUnread(...problems))).toEqual([]);
  const lever = widget('lever');
  expect(unreadOf(withProblems(planned([lever], lever), problems))).toEqual([roles]);
});

/** The refusal; undefined when there is none. */
function refusalOf(
  plan: Plan,
  flags: Parameters<typeof limitsOf>[0],
  snapshot = snapshotOf([]),
): unknown {
  try {
    refuseDangerous({ plan, snapshot }, limitsOf(flags, background));
  } catch (error) {
    if (!isGcError(error)) throw error;
    const { code, exitCode, message, suggestions } = error;
    return { code, exitCode, message, suggestions };
  }
  return undefined;
}

const yesPlease = {
  code: 'incomplete',
  exitCode: 3,
  message: expect.stringMatching(/; nothing was sent$/),
  suggestions: ['cannot list secrets', expect.stringMatching(/ --yes\.$/)],
};

test('a kind of the namespace that could not be read takes a yes where no question can be asked', () => {
  const plan = withUnread(metrics, secrets);
  expect(refusalOf(plan, {})).toEqual(yesPlease);
  expect(refusalOf(plan, { interactive: true })).toEqual(yesPlease);
  expect(refusalOf(plan, { yes: true })).toBeUndefined();
  expect(refusalOf(plan, { 'allow-incomplete': true })).toBeUndefined();
  expect(refusalOf(withUnread(metrics, volumes), {})).toBeUndefined();
});

const claim = builderOf('v1', 'PersistentVolumeClaim');
const claimed = claim('data', { facts: { phase: 'Bound', volumeName: 'pv-1' } });
const volume = builderOf('v1', 'PersistentVolume')('pv-1', {
  annotations: { 'pv.kubernetes.io/provisioned-by': 'disk.csi.example.com' },
  facts: {
    phase: 'Bound',
    source: { csi: 'disk.csi.example.com' },
    persistentVolumeReclaimPolicy: 'Delete',
    claimRef: { namespace: 'shop', name: 'data', uid: claimed.uid },
  },
});
const nodes = unread('nodes');
const webhook = unread('widgets.example.com', 'cannot list widgets.example.com: no answer', {
  reason: 'unavailable',
  apiVersion: 'example.com/v1',
  namespace: 'shop',
});
const undiscovered = unserved('v1');
const aggregated = unserved('packages.example.org/v1');
const elsewhere = { read: [{ resource: 'pods', namespaces: ['other'] }, { resource: 'nodes' }] };
const here = { read: [{ resource: 'pods', namespaces: ['other', 'shop'] }] };

const records = { settings, shop, worker: node('worker'), claim: claimed, volume };
const problems = { secrets, webhook, aggregated, undiscovered, nodes, metrics };
const coverages: Readonly<Record<string, object>> = { here, elsewhere };
const flagsFor = {
  nothing: {},
  '--yes': { yes: true },
  '--allow-incomplete': { yes: true, 'allow-incomplete': true },
};

test.each(
  rowsOf(`
    --yes              | a kind whose conversion webhook is down              | settings      | webhook
    --yes              | one API whose kinds are unknown                      | settings      | aggregated
    --yes              | all kinds but one                                    | settings      | secrets webhook | here
    --allow-incomplete | everything in the namespace                          | settings      | secrets | elsewhere
    --allow-incomplete | discovery of the core API                            | settings      | undiscovered
    --allow-incomplete | a kind below a namespace                             | shop settings | webhook
    --allow-incomplete | a kind, and a Node is to go                          | worker        | secrets
    --yes              | a namespaced kind, and a volume goes along           | claim volume  | webhook
    --allow-incomplete | a cluster-scoped kind, and a volume goes along       | claim volume  | nodes
    --yes              | a cluster-scoped owner, and nothing cluster-scoped goes | settings   | nodes
    nothing            | metrics, which hold nothing                          | settings      | metrics
  `),
)(
  'a deletion needs %s with this unread: %s',
  (needs, _, there = '', unread = '', coverage = '') => {
    const all = there.split(' ').map((name) => records[name as keyof typeof records]);
    const told = unread.split(' ').map((name) => problems[name as keyof typeof problems]);
    const snapshot = snapshotOf(all, { coverage: coverages[coverage] ?? {} });
    const plan = withProblems(planned(all, all.slice(0, 1)), told);
    const [enough] = Object.entries(flagsFor).filter(
      ([, flags]) => refusalOf(plan, flags, snapshot) === undefined,
    );
    expect(enough?.[0]).toBe(needs);
  },
);

test('a limit refuses what cannot be counted, and bounds what is counted', () => {
  const plan = withProblems(planned([settings], settings), [secrets]);
  const told = (coverage: object | undefined, maxDeletes?: number) => {
    const limits = limitsOf({ 'allow-incomplete': true }, { maxDeletes });
    const snapshot = snapshotOf([settings], { coverage: coverage ?? {} });
    return refusalsOf({ plan, snapshot }, limits).map(({ code }) => code);
  };
  expect(told(coverages.elsewhere, 1000)).toEqual(['too-many-deletes']);
  expect(told(coverages.elsewhere)).toEqual([]);
  // Other kinds of the namespace were read.
  expect(told(coverages.here, 1000)).toEqual([]);
});

test('a protected object needs its flag also where the server refuses its deletion by itself', () => {
  const object = referenceTo(configMap('dns', { namespace: 'kube-system' }));
  const refusals = [object, referenceTo(settings), undefined].map((one) => ({
    ...{ code: 'refused-by-server' as const, message: 'no', suggestions: [] },
    ...(one && { object: one }),
  }));
  const plan = { ...planned([settings], settings), requests: [], objects: [], refusals };
  expect(refusalOf(plan, {})).toMatchObject({ code: 'protected' });
  expect(refusalOf(plan, { 'allow-protected': true })).toBeUndefined();
  expect(refusalOf({ ...plan, refusals: refusals.slice(1) }, {})).toBeUndefined();
});

test('after a yes, only what could be read before and cannot be read now stops a deletion', () => {
  const before = withUnread(secrets);
  const since = (now: Plan, allowIncomplete = false) =>
    refuseUnreadSince(before, now, { allowIncomplete, gapLines: () => [] });
  const known = unread('secrets', 'cannot list secrets: another reason');
  expect(() => since(withUnread(known))).not.toThrow();
  const more = withUnread(known, webhook);
  expect(() => since(more)).toThrow(expect.objectContaining({ code: 'incomplete' }));
  expect(() => since(more, true)).not.toThrow();
});

describe('pods of kube-system on a Node that goes', () => {
  const worker = node('worker');
  const other = node('other');
  const facts = { nodeName: 'worker', phase: 'Running' };
  const inSystem = { namespace: 'kube-system', facts };
  const proxies = builderOf('apps/v1', 'DaemonSet')('kube-proxy', {
    namespace: 'kube-system',
    facts: {},
  });
  const proxy = pod('kube-proxy-x', { ...by(proxies), ...inSystem });
  const mirror = pod('etcd-worker', {
    ...inSystem,
    annotations: { 'kubernetes.io/config.mirror': 'hash' },
  });
  const dns = pod('coredns-x', inSystem);

  test('do not stop its deletion where they serve this Node alone', () => {
    const plan = planned([worker, other, proxies, proxy, mirror], worker);
    const told = plan.objects.map(({ name, fate, servesNode }) => [name, fate, servesNode]);
    expect(told.sort()).toEqual([
      ['etcd-worker', 'deleted', 'worker'],
      ['kube-proxy-x', 'deleted', 'worker'],
      ['worker', 'deleted', undefined],
    ]);
    expect(refusalOf(plan, {})).toBeUndefined();
  });

  test('stop it where another object recreates them, or none', () => {
    const plan = planned([worker, proxies, proxy, mirror, dns], worker);
    expect(refusalOf(plan, {})).toMatchObject({
      code: 'protected',
      message: 'Pod coredns-x in namespace kube-system would be deleted; nothing was sent',
    });
    expect(refusalOf(plan, { 'allow-protected': true })).toBeUndefined();
  });

  test.each([proxy, mirror])('are protected on their own: $name', (target) => {
    const plan = planned([worker, proxies, proxy, mirror], target);
    expect(refusalOf(plan, {})).toMatchObject({ code: 'protected' });
  });
});

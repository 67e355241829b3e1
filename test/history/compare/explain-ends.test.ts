import { describe, expect, test } from 'vitest';
import {
  endsBetween,
  explainLostReference,
  isRuleUnknown,
  plannedDeletions,
} from '../../../src/history/compare/explain-ends.ts';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { groupResourceOf } from '../../../src/kube/resource-type.ts';
import {
  type ControllerSettings,
  defaultControllerSettings,
} from '../../../src/settings/controller-settings.ts';
import { buildGraph } from '../../../src/snapshot/graph/graph.ts';
import { collectorCluster } from '../../differential/collector-cluster/index.ts';
import {
  builderOf,
  configMap,
  deployment,
  graphOf,
  job,
  node,
  ownedBy,
  pod,
  replicaSet,
  type SnapshotOptions,
  servedRecords,
  snapshotOf,
  widget,
} from '../../support/builders.ts';
import { rowsOf } from '../../support/rows.ts';

const namespace = builderOf('v1', 'Namespace');
const definition = builderOf('apiextensions.k8s.io/v1', 'CustomResourceDefinition');
const cronJob = builderOf('batch/v1', 'CronJob');
const [earlier, later] = ['2026-01-03T00:00:00Z', '2026-01-03T00:10:00Z'];

interface Case {
  readonly settings?: Partial<ControllerSettings>;
  readonly options?: SnapshotOptions;
}

/** Why the first of the objects went that are there before, and not after: `ttl-after-finished TTL-4 certain: …`. */
function reasonOf(
  before: readonly ObjectRecord[],
  after: readonly ObjectRecord[],
  { settings = {}, options = {} }: Case = {},
) {
  const all = { ...defaultControllerSettings, ...settings };
  const left = new Set(after.map(({ uid }) => uid));
  const gone = before.filter(({ uid }) => !left.has(uid));
  const graph = buildGraph(snapshotOf(after, { observedAt: later, ...options }));
  const graphBefore = buildGraph(snapshotOf(before, { observedAt: earlier }));
  const reasons = endsBetween(graphBefore, graph, gone, all);
  const reason = gone[0] && reasons.get(gone[0]);
  return reason && `${reason.collector} ${reason.rule} ${reason.confidence}: ${reason.because}`;
}

describe('a deleted object', () => {
  const web = deployment('web');
  const set = replicaSet('web-1', { ownerReferences: [ownedBy(web, { controller: true })] });
  const objects: Readonly<Record<string, ObjectRecord>> = {
    web,
    'ending-web': deployment('web', { deleting: 'foreground' }),
    set,
    'ending-set': { ...set, deletionTimestamp: earlier },
    flags: configMap('flags'),
    shared: configMap('flags', { ownerReferences: [ownedBy(web), ownedBy(set)] }),
    shop: namespace('shop'),
    'ending-shop': namespace('shop', { deleting: 'background' }),
    widget: widget('web'),
    widgets: definition('widgets.example.com'),
  };
  const named = (text: string) => text.split(' ').flatMap((name) => objects[name] ?? []);
  const rows = rowsOf(`
    without any owner was deleted by somebody | flags
    was collected, as its owner is gone | set web
    … as its owner is deleted in the foreground | set web | ending-web
    was not collected while its owner lives | set web | web
    was not collected while one of two owners lives | shared web set | web
    was being deleted before, which does not show who began | ending-set web
    went with its namespace | flags shop
    went with a namespace that is being deleted | flags shop | ending-shop
    did not go with its namespace | flags shop | shop
    went with the definition of its kind | widget widgets
    did not go with the definition of its kind | widget widgets | widgets
  `);
  test('was deleted by a controller, where its owner, its namespace or its definition shows it', () => {
    const told = rows.map(
      ([title, before = '', after = '']) =>
        `${title}: ${reasonOf(named(before), named(after)) ?? '-'}`,
    );
    expect(told.join('\n')).toMatchInlineSnapshot(`
      "without any owner was deleted by somebody: -
      was collected, as its owner is gone: garbage-collector GC-22.13 certain: no Deployment web in namespace shop
      … as its owner is deleted in the foreground: garbage-collector GC-22.13 certain: Deployment web is being deleted in the foreground
      was not collected while its owner lives: -
      was not collected while one of two owners lives: -
      was being deleted before, which does not show who began: -
      went with its namespace: namespace GC-72 certain: namespace shop is gone
      went with a namespace that is being deleted: namespace GC-72 certain: namespace shop is being deleted
      did not go with its namespace: -
      went with the definition of its kind: customresourcedefinition GC-66 certain: its CustomResourceDefinition widgets.example.com is gone
      did not go with the definition of its kind: -"
    `);
  });

  test('may have been collected where its owner was not read', () => {
    expect(reasonOf([set], [], { options: { unread: ['deployments.apps'] } })).toMatch(
      /^garbage-collector GC-27 unknown: /,
    );
  });

  test('was not deleted by a controller that is switched off', () => {
    const without = (controller: string) => ({
      settings: { controllers: ['*', `-${controller}`] },
    });
    expect([
      reasonOf(named('set web'), [], without('garbage-collector-controller')),
      reasonOf(named('flags shop'), [], without('namespace-controller')),
    ]).toEqual([undefined, undefined]);
  });
});

test('a Pod beyond the replicas of a StatefulSet was deleted by that', () => {
  const facts = { replicas: 1, podManagementPolicy: 'Parallel' };
  const db = builderOf('apps/v1', 'StatefulSet')('db', { facts });
  const ownerReferences = [ownedBy(db, { controller: true })];
  const [first, second] = ['db-0', 'db-1'].map((name) => pod(name, { ownerReferences, facts: {} }));
  expect(
    reasonOf([db, first as ObjectRecord, second as ObjectRecord], [db, first as ObjectRecord]),
  ).toMatch(/^statefulset-pvc-retention STS-2 likely/);
});

describe('the other controllers', () => {
  const finished = (name: string, at: string, facts: object = {}, type = 'Complete') =>
    job(name, {
      facts: {
        conditions: [{ type, status: 'True', lastTransitionTime: at }],
        startTime: at,
        ...facts,
      },
    });

  const [start, minute] = ['2026-01-03T00:00:00Z', '2026-01-03T00:01:00Z'];
  const every = (successfulJobsHistoryLimit: number) =>
    cronJob('sweep', { facts: { successfulJobsHistoryLimit } });
  const run = (name: string, at: string) => ({
    ...finished(name, at),
    ownerReferences: [ownedBy(every(1), { controller: true })],
  });
  const ttl = (ttlSecondsAfterFinished: number) =>
    finished('done', start, { ttlSecondsAfterFinished });
  const bound = pod('web', { facts: { nodeName: 'worker-1', phase: 'Failed' } });
  const objects: Readonly<Record<string, ObjectRecord>> = {
    'ttl-300': ttl(300),
    'ttl-600': ttl(600),
    'ttl-601': ttl(601),
    'made-again': { ...finished('done', start), uid: 'made-again' },
    'going-job': { ...ttl(300), deletionTimestamp: earlier },
    manifest: { ...ttl(300), uid: '' },
    'owned-job': { ...ttl(300), ownerReferences: [ownedBy(deployment('web'))] },
    'job-of-metadata': job('done'),
    web: deployment('web'),
    bound,
    'going-pod': { ...bound, deletionTimestamp: later },
    worker: node('worker-1', { facts: {} }),
    first: run('sweep-1', start),
    second: run('sweep-2', minute),
    'keeps-0': every(0),
    'keeps-1': every(1),
    'keeps-3': every(3),
  };
  const named = (text: string) => text.split(' ').flatMap((name) => objects[name] ?? []);
  // What was to be due by the second snapshot counts if it was certain, and what was due in the first one as well.
  const rows = rowsOf(`
    a Job went by its TTL if that had passed    | ttl-300               |                 | ttl-after-finished TTL-4 certain
    a Job went at the end of its TTL            | ttl-600               |                 | ttl-after-finished TTL-4 certain
    a Job that is there again went by its TTL   | ttl-600               | made-again      | ttl-after-finished TTL-4 certain
    a Job did not go before its TTL             | ttl-601               |                 |
    who deleted a Job before does not show      | going-job             |                 |
    a manifest never was there                  | manifest              |                 |
    an owner that is gone counts more           | owned-job web         |                 | garbage-collector GC-22.13 certain
    a pod went with its Node                    | bound                 |                 | pod-garbage-collector PG-16 certain
    a pod went with its Node, which went        | bound worker          |                 | pod-garbage-collector PG-16 certain
    a pod did not go with a Node that is there  | bound worker          | worker          |
    who deleted a pod before does not show      | going-pod             |                 |
    the oldest Jobs went above a limit          | first second keeps-1  | second keeps-1  | cronjob-history CJ-4 certain
    no newer Job went above a limit             | second first keeps-1  | first keeps-1   |
    a Job was due by a limit that was raised    | first keeps-0         | keeps-3         | cronjob-history CJ-4 certain
    of bare metadata no rule is known           | job-of-metadata       |                 |
  `);
  test.each(rows)('%s', (_, before = '', after = '', told) => {
    expect(reasonOf(named(before), named(after))?.split(': ')[0] ?? '').toBe(told);
  });

  test('one that is switched off deleted nothing', () => {
    const settings = { controllers: ['*', '-ttl-after-finished-controller'] };
    expect(reasonOf([ttl(300)], [], { settings })).toBeUndefined();
  });

  test('a known owner counts more than an unread one', () => {
    const options = { unread: ['deployments.apps'] };
    expect(reasonOf(named('owned-job'), [], { options })).toContain(' TTL-4 ');
  });

  test('of bare metadata no rule is known, and none can be ruled out', () => {
    const known = finished('done', '2026-01-03T00:00:00Z');
    const terminating = job('done', { deleting: 'background' });
    expect([job('done'), known, terminating, configMap('web')].map(isRuleUnknown)).toEqual([
      ...[true, false, false, false],
    ]);
  });

  test('every kind of which they delete objects by spec and status counts as such', () => {
    const now = Date.parse(earlier);
    const records = [1, 2, 3].flatMap((seed) =>
      servedRecords(collectorCluster(seed, now), `uid-${seed}-`),
    );
    const kinds = new Set(records.map(({ type }) => groupResourceOf(type)));
    const snapshot = snapshotOf(records, { observedAt: earlier });
    const { decisions } = plannedDeletions(snapshot, defaultControllerSettings, kinds);
    const bare = decisions.map(({ object }) => ({ ...object, deletionTimestamp: undefined }));
    const byFacts = bare.filter(({ facts }) => facts !== undefined);
    const missed = byFacts.filter((record) => !isRuleUnknown({ ...record, facts: undefined }));
    // Of most Secrets nothing but metadata is ever read: they are no tokens.
    expect([...new Set(missed.map(({ type }) => groupResourceOf(type)))]).toEqual(['secrets']);
    expect(byFacts.length).toBeGreaterThan(50);
  });
});

describe('a reference that an object lost', () => {
  const [web, cart] = [deployment('web'), deployment('cart')];

  test('went with its owner, while another owner lives', () => {
    const before = configMap('flags', { ownerReferences: [ownedBy(web), ownedBy(cart)] });
    const graph = graphOf([web, configMap('flags', { ownerReferences: [ownedBy(web)] })]);
    expect(explainLostReference(graph, before, cart.uid)).toEqual({
      collector: 'garbage-collector',
      rule: 'GC-22.11',
      because: 'no Deployment cart in namespace shop',
      confidence: 'certain',
    });
    expect(explainLostReference(graph, before, web.uid)).toBeUndefined();
  });

  test('was probably orphaned, where no owner is left', () => {
    const before = configMap('flags', { ownerReferences: [ownedBy(cart)] });
    expect(explainLostReference(graphOf([configMap('flags')]), before, cart.uid)).toMatchObject({
      rule: 'GC-37',
      confidence: 'likely',
    });
  });
});

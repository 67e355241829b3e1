import { describe, expect, test } from 'vitest';
import {
  explainEnds,
  explainLostReference,
  isRuleUnknown,
  plannedDeletions,
} from '../../src/controllers/explain-ends.ts';
import {
  type ControllerSettings,
  defaultControllerSettings,
} from '../../src/controllers/settings/controller-settings.ts';
import type { ObjectRecord } from '../../src/kube/object-record.ts';
import { groupResourceOf } from '../../src/kube/resource-type.ts';
import { buildGraph } from '../../src/snapshot/graph/graph.ts';
import { collectorCluster } from '../differential/collector-cluster/index.ts';
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
} from '../support/builders.ts';
import { rowsOf } from '../support/rows.ts';

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
  const kinds = new Set(gone.map(({ type }) => groupResourceOf(type)));
  const graph = buildGraph(snapshotOf(after, { observedAt: later, ...options }));
  const reasons = explainEnds(graph, gone, all, {
    planned: plannedDeletions(snapshotOf(before, { observedAt: earlier }), all, kinds),
    goneContainers: gone.filter(({ type: { kind } }) =>
      ['Namespace', 'CustomResourceDefinition'].includes(kind),
    ),
  });
  const reason = gone[0] && reasons.get(gone[0]);
  return reason && `${reason.collector} ${reason.rule} ${reason.confidence}: ${reason.because}`;
}

describe('an object that is gone', () => {
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
    without any owner was deleted by somebody       | flags          |             |
    was collected, as its owner is gone             | set web        |             | garbage-collector GC-22.13 certain: there is no Deployment web in namespace shop
    … as its owner is deleted in the foreground     | set web        | ending-web  | garbage-collector GC-22.13 certain: Deployment web is being deleted in the foreground
    was not collected while its owner lives         | set web        | web         |
    was not collected while one of two owners lives | shared web set | web         |
    was being deleted before, which does not show who began    | ending-set web |             |
    went with its namespace                         | flags shop     |             | namespace GC-72 certain: namespace shop is gone
    went with a namespace that is being deleted     | flags shop     | ending-shop | namespace GC-72 certain: namespace shop is being deleted
    did not go with its namespace                   | flags shop     | shop        |
    went with the definition of its kind            | widget widgets |             | customresourcedefinition GC-66 certain: its CustomResourceDefinition widgets.example.com is gone
    did not go with the definition of its kind      | widget widgets | widgets     |
  `);
  test.each(rows)('%s', (_, before = '', after = '', told = '') => {
    expect(reasonOf(named(before), named(after)) ?? '').toBe(told);
  });

  test('may have been collected where its owner was not read', () => {
    expect(reasonOf([set], [], { options: { unread: ['deployments.apps'] } })).toBe(
      'garbage-collector GC-27 unknown: Deployment objects in namespace shop were not read',
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

describe('the other controllers', () => {
  const finished = (name: string, at: string, facts: object = {}, type = 'Complete') =>
    job(name, {
      facts: {
        conditions: [{ type, status: 'True', lastTransitionTime: at }],
        startTime: at,
        ...facts,
      },
    });

  test('a Job went by its TTL if that had passed', () => {
    const done = finished('done', '2026-01-03T00:00:00Z', { ttlSecondsAfterFinished: 300 });
    expect(reasonOf([done], [])).toMatch(/^ttl-after-finished TTL-4 certain/);
    const kept = finished('done', '2026-01-03T00:00:00Z', { ttlSecondsAfterFinished: 3600 });
    expect(reasonOf([kept], [])).toBeUndefined();
  });

  const due = finished('done', '2026-01-03T00:00:00Z', { ttlSecondsAfterFinished: 300 });

  test('one that is switched off deleted nothing', () => {
    const settings = { controllers: ['*', '-ttl-after-finished-controller'] };
    expect(reasonOf([due], [], { settings })).toBeUndefined();
  });

  test('who began to delete an object before does not show, whatever was due; a manifest never was there', () => {
    const deleting = { ...due, deletionTimestamp: '2026-01-02T00:00:00Z' };
    expect(reasonOf([deleting], [])).toBeUndefined();
    expect(reasonOf([{ ...due, uid: '' }], [])).toBeUndefined();
    // One that is taken by pod garbage collection although it is being deleted.
    const bound = pod('web', { facts: { nodeName: 'gone', phase: 'Failed' } });
    expect(reasonOf([bound], [])).toContain(' PG-16 ');
    expect(reasonOf([{ ...bound, deletionTimestamp: later }], [])).toBeUndefined();
  });

  test('what is known of one counts more than an owner that was not read, and less than one that is gone', () => {
    const owned = { ...due, ownerReferences: [ownedBy(deployment('web'))] };
    expect(reasonOf([owned], [], { options: { unread: ['deployments.apps'] } })).toContain(
      ' TTL-4 ',
    );
    expect(reasonOf([owned, deployment('web')], [])).toContain(' GC-22.13 ');
  });

  test('what was to be due by the second snapshot counts if it was certain', () => {
    const soon = finished('done', '2026-01-03T00:00:00Z', { ttlSecondsAfterFinished: 600 });
    const never = finished('done', '2026-01-03T00:00:00Z');
    expect(reasonOf([soon], [])).toContain(' TTL-4 ');
    expect(reasonOf([soon], [{ ...never, uid: 'made-again' }])).toContain(' TTL-4 ');
    const patient = finished('done', '2026-01-03T00:00:00Z', { ttlSecondsAfterFinished: 601 });
    expect(reasonOf([patient], [])).toBeUndefined();
  });

  test('the oldest Jobs of a CronJob went above its limit, and no newer one', () => {
    const every = cronJob('sweep', { facts: { successfulJobsHistoryLimit: 1 } });
    const run = (n: number) => ({
      ...finished(`sweep-${n}`, `2026-01-03T00:0${n}:00Z`),
      ownerReferences: [ownedBy(every, { controller: true })],
    });
    const [first, second, third] = [run(1), run(2), run(3)];
    expect(reasonOf([first, second, every], [second, third, every])).toMatch(
      /^cronjob-history CJ-4 /,
    );
    expect(reasonOf([third, first, every], [first, every])).toBeUndefined();
  });

  test('a pod went with its Node', () => {
    const bound = pod('web', { facts: { nodeName: 'worker-1', phase: 'Running' } });
    expect(reasonOf([bound, node('worker-1', { facts: {} })], [])).toMatch(
      /^pod-garbage-collector PG-16 /,
    );
    const worker = node('worker-1', { facts: {} });
    expect(reasonOf([bound, worker], [worker])).toBeUndefined();
  });

  test('what was due when the first snapshot was taken counts, also where its reason is gone', () => {
    const every = cronJob('sweep', { facts: { successfulJobsHistoryLimit: 0 } });
    const done = {
      ...finished('sweep-1', '2026-01-03T00:00:00Z'),
      ownerReferences: [ownedBy(every, { controller: true })],
    };
    const patient = cronJob('sweep', { facts: { successfulJobsHistoryLimit: 3 } });
    expect(reasonOf([done, every], [patient])).toMatch(/^cronjob-history CJ-4 /);
  });

  test('of bare metadata no rule is known, and none can be ruled out', () => {
    expect(reasonOf([job('done')], [])).toBeUndefined();
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
      because: 'there is no Deployment cart in namespace shop',
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

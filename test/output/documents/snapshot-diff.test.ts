import { describe, expect, test } from 'vitest';
import { defaultControllerSettings } from '../../../src/controllers/settings/controller-settings.ts';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { snapshotDiffAnswer } from '../../../src/output/answers/snapshot-diff.ts';
import { type DiffItem, snapshotDiff } from '../../../src/output/documents/snapshot-diff.ts';
import { parseRequests } from '../../../src/simulator/scenario.ts';
import { beginSimulation, type Simulation } from '../../../src/simulator/simulate.ts';
import type { Snapshot } from '../../../src/snapshot/snapshot.ts';
import { collectorCluster } from '../../differential/collector-cluster/index.ts';
import { generateCase } from '../../differential/generate-case.ts';
import {
  builderOf,
  configMap,
  deployment,
  ownedBy,
  pod,
  replicaSet,
  type SnapshotOptions,
  servedRecords,
  snapshotOf,
  widget,
} from '../../support/builders.ts';

const namespace = builderOf('v1', 'Namespace');
const everything = { kinds: undefined, namespace: undefined, matches: () => true };
const [noon, tenPast] = ['2026-01-03T12:00:00Z', '2026-01-03T12:10:00Z'];

function diffOf(before: Snapshot, after: Snapshot, servers: readonly string[] = []) {
  const [server, other = server] = servers;
  return snapshotDiff(
    { snapshot: before, server },
    { snapshot: after, server: other },
    everything,
    defaultControllerSettings,
  );
}

function between(
  before: readonly ObjectRecord[],
  after: readonly ObjectRecord[],
  options: SnapshotOptions = {},
) {
  return diffOf(
    snapshotOf(before, { observedAt: noon }),
    snapshotOf(after, { observedAt: tenPast, ...options }),
  );
}

const look = { colour: false, width: 80, now: 0 };
const tableOf = (diff: ReturnType<typeof between>) => snapshotDiffAnswer.table(diff, look);

describe('a table', () => {
  const web = deployment('web');
  const controlled = (owner: ObjectRecord) => ({
    ownerReferences: [ownedBy(owner, { controller: true })],
  });
  const [old, next] = [replicaSet('web-1', controlled(web)), replicaSet('web-2', controlled(web))];
  const pods = (set: ObjectRecord) =>
    ['a', 'b'].map((name) => pod(`${set.name}-${name}`, { ...controlled(set), facts: {} }));

  test('has one line for a rollout', () => {
    const diff = between([web, old, ...pods(old)], [web, old, next, ...pods(next)]);
    expect(tableOf(diff)).toBe(`NAMESPACE  OBJECT          CHANGE  BELOW IT
shop       Deployment/web  stays   came: 2 Pods, 1 ReplicaSet; went: 2 Pods
             2 Pods: deleted, and no rule of a controller explains it
`);
    expect(diff.summary).toEqual({ came: 3, went: 2, recreated: 0, changed: 0, collected: 0 });
  });

  test('has one line for a tree that was deleted, and one for a namespace', () => {
    const shop = namespace('shop');
    const tree = [web, old, ...pods(old)];
    expect(
      tableOf(between([shop, ...tree], [shop])),
    ).toBe(`NAMESPACE  OBJECT          CHANGE  BELOW IT
shop       Deployment/web  went    went: 2 Pods, 1 ReplicaSet
             deleted, and no rule of a controller explains it; 2 Pods, 1
             ReplicaSet: garbage-collector (GC-22.13)
`);
    expect(tableOf(between([shop, ...tree], []))).toBe(`OBJECT          CHANGE  BELOW IT
Namespace/shop  went    went: 2 Pods, 1 Deployment, 1 ReplicaSet
                  deleted, and no rule of a controller explains it; 2 Pods, 1
                  Deployment, 1 ReplicaSet: namespace (GC-72)
`);
  });

  test('says of each object what changed, and who set a reference', () => {
    const writers = [{ uid: web.uid, manager: 'helm', operation: 'Update', time: undefined }];
    const after = configMap('flags', { ownerReferences: [ownedBy(web)], writers });
    const before = configMap('flags', { finalizers: ['example.com/a'] });
    expect(
      tableOf(between([web, before], [web, after])),
    ).toBe(`NAMESPACE  OBJECT          CHANGE  BELOW IT              REASON
shop       Deployment/web  stays   changed: 1 ConfigMap
`);
    const wide = snapshotDiffAnswer.table(between([web, before], [web, after]), {
      ...look,
      ...{ width: undefined, wide: true },
    });
    expect(wide).toContain(
      'owner Deployment/web added (set by helm); finalizer example.com/a removed',
    );
  });
});

describe('two clusters', () => {
  const system = (uid: string) => namespace('kube-system', { uid });
  const web = configMap('web');

  test('are told by the uid of kube-system, whatever their addresses', () => {
    const [before, after] = ['one', 'two'].map((uid, at) =>
      snapshotOf([system(uid), configMap('web', { uid: `web-${at}` })], {
        observedAt: at === 0 ? noon : tenPast,
      }),
    ) as [Snapshot, Snapshot];
    const servers = ['https://a.example.com', 'https://b.example.com'];
    const diff = diffOf(before, after, servers);
    expect([diff.sameCluster, diff.explained]).toEqual(['no', false]);
    expect(diff.remarks).toEqual([
      'The snapshots are of two clusters (https://a.example.com and https://b.example.com): namespace kube-system has another uid. Objects of the same name count as recreated, and no rule is named.',
    ]);
    expect(diff.items.map(({ change, reason }) => [change, reason])).toEqual([
      ['recreated', undefined],
      ['recreated', undefined],
    ]);
    expect(diffOf(before, { ...before, observedAt: tenPast }, servers)).toMatchObject({
      sameCluster: 'yes',
      remarks: [],
    });
  });

  test('are suspected where the addresses differ and kube-system is not in both', () => {
    const snapshot = snapshotOf([web], { observedAt: noon });
    const diff = diffOf(snapshot, snapshot, ['https://a.example.com', 'https://b.example.com']);
    expect([diff.sameCluster, diff.explained]).toEqual(['unknown', true]);
    expect(diff.remarks).toEqual([
      'The snapshots were saved from two addresses (https://a.example.com and https://b.example.com), and may be of two clusters: namespace kube-system, whose uid tells clusters apart, is not in both.',
    ]);
  });
});

test('that the second snapshot is older is said, and nothing is explained', () => {
  const owned = configMap('flags', { ownerReferences: [ownedBy(deployment('web'))] });
  const diff = diffOf(
    snapshotOf([owned], { observedAt: tenPast }),
    snapshotOf([], { observedAt: noon }),
  );
  expect(diff.remarks).toEqual([
    `The second snapshot is older (${noon}) than the first (${tenPast}): what "came" had gone by then, and no rule is named. Swap them to read on in time.`,
  ]);
  expect(diff.items.map(({ change, reason }) => [change, reason])).toEqual([['went', undefined]]);
});

test('a snapshot whose lists are of different moments is named, unless reading took a moment only', () => {
  const slow = snapshotOf([], { observedAt: tenPast, observedFrom: '2026-01-03T12:09:00Z' });
  const quick = snapshotOf([], { observedAt: noon, observedFrom: '2026-01-03T11:59:58Z' });
  const diff = diffOf(quick, slow);
  expect(diff.remarks).toEqual([
    `The lists of one snapshot were read from 2026-01-03T12:09:00Z to ${tenPast}: of what changed in between, one object may be shown as it was before and another as it was after.`,
  ]);
  expect(diff.before.observedFrom).toBe('2026-01-03T11:59:58Z');
});

test('what only one of the two holds makes the answer incomplete', () => {
  const { coverage, items } = between([widget('web')], [], { unread: ['widgets.example.com'] });
  expect([coverage.complete, coverage.problems, items]).toEqual([false, [], []]);
});

/** Rules that both hold for an object: the diff names the second where the simulation acts by the first. */
const besides: ReadonlySet<string> = new Set([
  // Its owner is gone as well.
  'DRA-2 GC-22.13',
  'OTH-1 GC-22.13',
  'OTH-2 GC-22.13',
  // The owner that was waited for is gone by now.
  'GC-22.12 GC-22.13',
  // Its time to live has passed as well.
  'CJ-4 TTL-4',
]);

/** What a simulation leaves, compared with what it began with. */
function played(records: readonly ObjectRecord[], requests: readonly unknown[], minutes: number) {
  const now = Date.parse(noon);
  const before = snapshotOf(records, { observedAt: noon });
  const duration = minutes * 60_000;
  const asked = parseRequests(requests, 'requests');
  const clock = { now, duration, start: 'after-requests' } as const;
  const simulation = beginSimulation(before, asked, {}, clock).inOneOrder();
  const observedAt = new Date(now + duration).toISOString();
  const after = { ...before, records: simulation.objects, observedAt };
  const left = new Set(simulation.objects.map(({ uid }) => uid));
  const gone = records.filter(({ uid }) => !left.has(uid));
  const { items } = diffOf(before, after);
  return { simulation, gone, went: items.filter(({ change }) => change === 'went') };
}

/** By which rule the simulation began to delete an object. */
function firstDeletion({ steps }: Simulation, { object }: DiffItem) {
  return steps.find(
    ({ object: { uid }, verb, result, actor }) =>
      uid === object.uid &&
      verb.startsWith('delete') &&
      (result === 'removed' || result === 'terminating') &&
      actor !== 'kubelet',
  );
}

const uidsOf = (records: readonly { readonly uid: string }[]) =>
  records.map(({ uid }) => uid).sort();

describe('what a simulation has collected', () => {
  test('of random clusters is named, all of it, with its rule', () => {
    let [exact, beside] = [0, 0];
    for (let seed = 0; seed < 12; seed++) {
      const records = servedRecords(collectorCluster(seed, Date.parse(noon)), 'uid-');
      const { simulation, gone, went } = played(records, [], 60);
      expect(uidsOf(went.map(({ object }) => object))).toEqual(uidsOf(gone));
      for (const item of went) {
        const rule = item.deletingSince === undefined && firstDeletion(simulation, item)?.rule;
        if (!rule) continue;
        const named = item.reason?.rule;
        if (named === rule) exact++;
        else {
          expect([seed, item.object.name, besides.has(`${rule} ${named}`), rule, named]).toEqual([
            ...[seed, item.object.name],
            ...[true, rule, named],
          ]);
          beside++;
        }
      }
    }
    expect(exact).toBeGreaterThan(500);
    expect(beside).toBeLessThan(exact / 10);
  });

  test('after requests of people is named, and what they deleted has no rule unless one holds', () => {
    let [exact, byPeople] = [0, 0];
    for (let seed = 0; seed < 150; seed++) {
      const { objects, requests, namespaces } = generateCase(seed, { namespaces: true });
      const around = namespaces.map((name) => ({
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name, uid: `uid-${name}` },
        spec: { finalizers: ['kubernetes'] },
        status: { phase: 'Active' },
      }));
      const records = servedRecords([...objects, ...around]);
      const { simulation, gone, went } = played(records, requests, 10);
      expect(uidsOf(went.map(({ object }) => object))).toEqual(uidsOf(gone));
      const left = new Map(simulation.objects.map((one) => [one.uid, one]));
      const before = new Map(records.map((one) => [one.uid, one]));
      for (const item of went) {
        const step = firstDeletion(simulation, item);
        if (item.deletingSince !== undefined || !step) continue;
        const { reason } = item;
        if (step.actor === 'user') {
          if (!reason) byPeople++;
          // Nobody collects what has no owner, in a namespace that stays.
          const record = before.get(item.object.uid);
          const home = left.get(`uid-${record?.namespace}`);
          const isKept = record?.namespace === '' || (home && !home.deletionTimestamp);
          if (record?.ownerReferences.length === 0 && isKept && record.type.kind !== 'Pod') {
            expect([seed, item.object.name, reason]).toEqual([seed, item.object.name, undefined]);
          }
        } else if (reason?.rule === step.rule) exact++;
        else {
          // With its namespace goes everything; and references that changed meanwhile do not show.
          const isOpen = reason?.rule === 'GC-72' || besides.has(`${step.rule} ${reason?.rule}`);
          const lost = simulation.steps.some(
            ({ object, verb }) => object.uid === item.object.uid && verb === 'patch',
          );
          expect([
            seed,
            item.object.name,
            step.rule,
            reason?.rule,
            isOpen || (lost && !reason),
          ]).toEqual([seed, item.object.name, step.rule, reason?.rule, true]);
        }
      }
    }
    expect(exact).toBeGreaterThan(200);
    expect(byPeople).toBeGreaterThan(30);
  });
});

import { describe, expect, test } from 'vitest';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { parseRequests } from '../../../src/questions/simulate/scenario.ts';
import { type DiffItem, snapshotDiff } from '../../../src/questions/snapshot/diff-document.ts';
import { defaultControllerSettings } from '../../../src/settings/controller-settings.ts';
import { beginSimulation } from '../../../src/simulator/simulate.ts';
import type { Simulation } from '../../../src/simulator/simulation.ts';
import type { Snapshot } from '../../../src/snapshot/snapshot.ts';
import { collectorCluster } from '../../differential/collector-cluster/index.ts';
import { generateCase } from '../../differential/generate-case.ts';
import {
  builderOf,
  configMap,
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

test('snapshots of two clusters are recognized by the uid of kube-system, and suspected if addresses differ', () => {
  const servers = ['https://a.example.com', 'https://b.example.com'];
  const cluster = (uid: string) =>
    snapshotOf([namespace('kube-system', { uid })], { observedAt: noon });
  const bare = snapshotOf([configMap('web')], { observedAt: noon });
  const words: string[] = [];
  const told = (before: Snapshot, after: Snapshot) => {
    const { sameCluster, explained, remarks } = diffOf(before, after, servers);
    words.push(...remarks);
    return [sameCluster, explained, remarks.length];
  };
  expect(told(cluster('one'), cluster('one'))).toEqual(['yes', true, 0]);
  expect(told(cluster('one'), cluster('two'))).toEqual(['no', false, 1]);
  expect(told(bare, bare)).toEqual(['unknown', true, 1]);
  expect(words.join('\n')).toMatchInlineSnapshot(`
    "The snapshots are of two clusters (https://a.example.com and https://b.example.com): namespace kube-system has another uid. Objects of the same name count as recreated, and no rule is named.
    The snapshots were saved from two addresses (https://a.example.com and https://b.example.com), and may be of two clusters: namespace kube-system, whose uid identifies a cluster, is not in both."
  `);
});

test('a snapshot whose lists are of different moments is named, unless reading took a moment only', () => {
  const slow = snapshotOf([], { observedAt: tenPast, observedFrom: '2026-01-03T12:09:00Z' });
  const quick = snapshotOf([], { observedAt: noon, observedFrom: '2026-01-03T11:59:58Z' });
  const diff = diffOf(quick, slow);
  expect(diff.remarks.join('\n')).toMatchInlineSnapshot(
    `"The lists of one snapshot were read from 2026-01-03T12:09:00Z to 2026-01-03T12:10:00Z: of what changed in between, one object may be shown as it was before and another as it was after."`,
  );
  expect(diff.before.observedFrom).toBe('2026-01-03T11:59:58Z');
});

test('objects that only one of the two contains make the answer incomplete', () => {
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

  test('after requests of users is named, and what they deleted has no rule unless one applies', () => {
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
          const isOpen =
            reason?.rule === 'GC-72' ||
            step.rule.startsWith(`${reason?.rule}.`) ||
            besides.has(`${step.rule} ${reason?.rule}`);
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

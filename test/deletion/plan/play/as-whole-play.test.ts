import { readdirSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import type { DeletionIntent, Plan } from '../../../../src/deletion/plan/plan.ts';
import { planDeletion } from '../../../../src/deletion/plan/plan-deletion.ts';
import { fromFiles } from '../../../../src/files/from-files.ts';
import { isNamespace } from '../../../../src/kube/well-known-kinds.ts';
import { randomFrom } from '../../../../src/simulator/engine/schedule.ts';
import type { Snapshot } from '../../../../src/snapshot/snapshot.ts';
import { chooser } from '../../../differential/choose.ts';
import { collectorCluster } from '../../../differential/collector-cluster/index.ts';
import { generateCase } from '../../../differential/generate-case.ts';
import { planOfWholePlay } from '../../../differential/whole-play/index.ts';
import { hostileCluster } from '../../../simulator/hostile-cluster.ts';
import { readRecording } from '../../../simulator/recorded-case.ts';
import { servedRecords, snapshotOf } from '../../../support/builders.ts';
import { randomCases } from '../../../support/random-cases.ts';
import { busyNamespace } from '../busy-namespace.ts';
import { context } from '../planned.ts';
import { namespace } from '../told.ts';

let planOfAll: typeof planDeletion;
const bundled: Snapshot[] = [];

beforeAll(async () => {
  planOfAll = await planOfWholePlay();
  expect(planOfAll).not.toBe(planDeletion);
  for (const folder of ['examples/clusters', 'test/fixtures/clusters']) {
    for (const file of readdirSync(folder))
      bundled.push(await fromFiles([`${folder}/${file}`], { now: () => new Date(context.now) }));
  }
});

const recorded = readdirSync('test/fixtures/recorded').flatMap((file) =>
  readRecording(file.replace('.json', '')).cases.map(({ objects }) => objects),
);

/** Clusters by the number of a case. */
const clusters: Readonly<Record<string, (at: number) => Snapshot>> = {
  'any cluster, however hostile': (at) => snapshotOf(hostileCluster(at).records),
  'references of every kind': (at) =>
    snapshotOf(servedRecords(generateCase(at, { namespaces: false, uid: uidsFrom(at) }).objects)),
  'what controllers clean up': (at) => snapshotOf(servedRecords(collectorCluster(at, context.now))),
  'a busy namespace': busyNamespace,
  'a recorded case': (at) => snapshotOf(servedRecords(recorded[at % recorded.length] ?? [])),
  'a bundled cluster': (at) => bundled[at % bundled.length] as Snapshot,
};

/** The same with a Namespace for each name of one. */
function withHomes(snapshot: Snapshot): Snapshot {
  const { records } = snapshot;
  const known = new Set(records.filter(isNamespace).map(({ name }) => name));
  const missing = new Set(records.map((record) => record.namespace).filter((name) => name !== ''));
  const homes = [...missing].filter((name) => !known.has(name)).map((name) => namespace(name));
  return { ...snapshot, records: [...homes, ...records] };
}

/** The same uids each time: the order in which a play takes objects depends on them. */
function uidsFrom(seed: number): () => string {
  let count = 0;
  return () => `${seed}-${count++}`;
}

/** Every third case deletes whole namespaces. */
const isOfNamespaces = (at: number) => at % 3 === 2;

const policies = ['Background', 'Foreground', 'Orphan'] as const;

function intentOf({ records }: Snapshot, at: number): DeletionIntent {
  const choose = chooser(randomFrom(at));
  const targets = Array.from({ length: choose.one([1, 1, 1, 2, 3]) }, () => choose.one(records));
  return { targets: [...new Set(targets)], policy: choose.one(policies) };
}

/** For a whole namespace, now and then with something else. */
function namespaceIntentOf({ records }: Snapshot, at: number): DeletionIntent {
  const choose = chooser(randomFrom(at));
  const homes = records.filter(isNamespace);
  const beside = choose.one([[], [], [], [choose.one(homes)], [choose.one(records)]]);
  const targets = homes.length === 0 ? records.slice(0, 1) : [choose.one(homes), ...beside];
  return { targets: [...new Set(targets)], policy: choose.one(policies) };
}

/**
 * Everything that a plan says, a line each, without its examples of orders, as each may find another one first, and
 * without the end of the play, which goes by the grace periods of the pods that are played.
 */
function linesOf(plan: Plan): string[] {
  return Object.entries(plan).flatMap(([field, value]) =>
    (Array.isArray(value) ? value : [value]).map((one) =>
      `${field}: ${JSON.stringify(one)}`.replaceAll(
        /(, as when |: the simulation ends at ).*?(?=, or it |[";])/g,
        '',
      ),
    ),
  );
}

/**
 * The same each time. Of the hostile cluster 31097 the plan names one object more than the whole play, a volume that owns
 * itself. It may be gone or stay, with the deletion as without it, in both kinds of play. The order that is shown is
 * another one where less is played, and there it is gone with the deletion and stays without it: a difference by chance.
 * Of 710022 the whole play names one more: where nothing is asked for, it replays a CronJob without an owner of it that has
 * no uid, which belongs to no family, and takes it for absent. Both say that it is unknown whether the CronJob goes.
 */
const seed = Number(process.env.KUBECTL_GC_PROPERTY_SEED ?? 555_000);
const cases = Number(process.env.KUBECTL_GC_CASES ?? randomCases(24));

test.each(Object.keys(clusters))(
  'a plan that plays reachable objects alone equals one that plays everything: %s',
  { timeout: 120_000 + cases * 5_000 },
  (name) => {
    const different: unknown[] = [];
    for (let at = seed; at < seed + cases; at++) {
      const read = clusters[name]?.(at);
      if (!read || read.records.length === 0) continue;
      const snapshot = isOfNamespaces(at) ? withHomes(read) : read;
      const intent = isOfNamespaces(at) ? namespaceIntentOf(snapshot, at) : intentOf(snapshot, at);
      const plan = planDeletion(snapshot, intent, context);
      const whole = planOfAll(snapshot, intent, context);
      const [here, there] = [linesOf(plan), linesOf(whole)];
      const lines = [
        ...here.filter((line) => !there.includes(line)).map((line) => `is ${line}`),
        ...there.filter((line) => !here.includes(line)).map((line) => `was ${line}`),
      ];
      const targets = intent.targets.map(({ type, name }) => `${type.kind} ${name}`);
      if (lines.length > 0) different.push({ at, policy: intent.policy, targets, lines });
    }
    expect(different).toEqual([]);
  },
);

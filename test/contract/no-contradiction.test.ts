import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findInvalidReferences } from '../../src/audit/invalid-references.ts';
import { clusterRules } from '../../src/audit/rules/rules.ts';
import { runRules } from '../../src/audit/run-rules.ts';
import {
  type Action,
  classifiedReferences,
} from '../../src/controllers/garbage-collector/judge.ts';
import { defaultControllerSettings } from '../../src/controllers/settings/controller-settings.ts';
import { isBeingDeleted, type ObjectRecord, ORPHAN } from '../../src/kube/object-record.ts';
import type { ObjectReference } from '../../src/kube/object-reference.ts';
import { type KubeObject, recordOf } from '../../src/kube/record-codec.ts';
import { isEventType } from '../../src/kube/resource-type.ts';
import { fromFiles, whole } from '../../src/library/snapshots.ts';
import { forecastReport } from '../../src/output/documents/forecast.ts';
import { orphansReport } from '../../src/output/documents/orphans.ts';
import { type Diagnosed, diagnosedOf } from '../../src/output/documents/why.ts';
import { buildGraph } from '../../src/snapshot/graph/graph.ts';
import type { Snapshot } from '../../src/snapshot/snapshot.ts';
import { type DiagnosisState, linksOf } from '../../src/why/chain.ts';
import { diagnosesIn } from '../../src/why/investigate.ts';
import { readCleanup, recordedCleanups } from '../controllers/recorded-cleanup.ts';
import { collectorCluster } from '../differential/collector-cluster/index.ts';
import { generateCase } from '../differential/generate-case.ts';
import { readRecording } from '../simulator/recorded-case.ts';
import { anySnapshot } from '../support/any-snapshot.ts';
import { servedTypes, snapshotOf } from '../support/builders.ts';
import { randomCases } from '../support/random-cases.ts';

/** No two commands contradict each other about one object: states and reasons are compared with those of `why`. */
const forecastId = 'garbage-collector';

/** What `orphans` says the garbage collector does, and what `why` then calls the object. */
const statesOfAction: Readonly<Record<Action, readonly DiagnosisState[]>> = {
  delete: ['collectable', 'stuck'],
  patch: ['alive'],
  keep: ['alive'],
  frozen: ['alive'],
  ignored: ['alive'],
  unowned: ['alive'],
  unknown: ['unknown'],
  terminating: ['stuck', 'progressing', 'unknown'],
};

/** What comes behind the first clause is told where it is known: who has the uid, or on which order it depends. */
function clauseOf(because: string): string {
  return because.split(/[:;]/)[0] ?? '';
}

const endless = new Set(['stuck-namespace', 'stuck-object', 'blocked-foreground-deletion']);

/**
 * What is left out, and why: two objects with one uid, or one name (which of them a command means is not decided: the
 * rule duplicate-uid reports it); objects without a uid, which no cluster has. A ring of owners is reported by the rules
 * about rings, so `audit` does not say a second time that its deletion does not end. What names the uid of
 * an owner that orphans its dependents is judged by one worker of the garbage collector while another orphans it.
 */
function isPlain(records: readonly ObjectRecord[]): (record: ObjectRecord) => boolean {
  const count = (keys: readonly string[]) => Map.groupBy(keys, (key) => key);
  const place = ({ type, namespace, name }: ObjectRecord) =>
    `${type.group} ${type.resource} ${namespace} ${name}`;
  const uids = count(records.map(({ uid }) => uid));
  const places = count(records.map(place));
  return (record) =>
    record.uid !== '' &&
    uids.get(record.uid)?.length === 1 &&
    places.get(place(record))?.length === 1;
}

function isOrphaning(owner: ObjectRecord | undefined): boolean {
  return owner !== undefined && isBeingDeleted(owner) && owner.finalizers.includes(ORPHAN);
}

function contradictionsIn(snapshot: Snapshot): string[] {
  const graph = buildGraph(snapshot);
  const now = Date.parse(snapshot.observedAt);
  const settings = defaultControllerSettings;
  const plain = snapshot.records.filter(isPlain(snapshot.records));
  const byUid = new Map(plain.map((record) => [record.uid, record]));
  const diagnose = diagnosesIn(snapshot, now);
  const diagnoses = new Map<string, Diagnosed>();
  const why = (record: ObjectRecord): Diagnosed => {
    const known = diagnoses.get(record.uid) ?? diagnosedOf(diagnose(record));
    diagnoses.set(record.uid, known);
    return known;
  };
  const found: string[] = [];
  const differ = (object: ObjectReference, what: string, said: Diagnosed) =>
    found.push(
      `${object.namespace} ${object.kind}/${object.name}: ${what}; why: ${said.state}, ${said.chain.because}`,
    );

  for (const { object, gc } of orphansReport(graph, { unmanaged: true }).items) {
    const record = byUid.get(object.uid);
    if (!record) continue;
    const said = why(record);
    // What the garbage collector does not watch may be being deleted all the same.
    const action = gc.action === 'ignored' && isBeingDeleted(record) ? 'terminating' : gc.action;
    const isSame =
      statesOfAction[action].includes(said.state) &&
      (action === 'terminating' || said.chain.because.includes(clauseOf(gc.because)));
    if (!isSame) differ(object, `orphans: ${gc.action}, ${gc.because}`, said);
  }

  for (const { object, consequences } of findInvalidReferences(graph)) {
    const said = byUid.has(object.uid) && why(object);
    if (!said || !consequences.includes('deleted on the next pass')) continue;
    if (!statesOfAction.delete.includes(said.state)) {
      differ(said.object, `invalid-ownerrefs: ${consequences}`, said);
    }
  }

  const { findings, notChecked } = runRules(clusterRules, {
    graph,
    now,
    settings,
    settingsFrom: 'default',
    scope: () => true,
  });
  const reported = new Map(
    findings.filter(({ rule }) => endless.has(rule)).map((one) => [one.object.uid, one]),
  );
  const isUndecided = notChecked.some(({ rule }) => endless.has(rule));
  for (const record of plain.filter(isBeingDeleted)) {
    const said = why(record);
    const finding = reported.get(record.uid);
    const [blocker] = said.blockers;
    const isRing = said.blockers.every(({ cause }) => /^(self-owner|ownership-ring)$/.test(cause));
    if (finding) {
      const severity = said.state === 'stuck' ? 'error' : 'warning';
      const isSame = finding.message.includes(blocker?.because ?? '');
      if (finding.severity !== severity || !isSame) {
        differ(said.object, `audit: ${finding.severity}, ${finding.message}`, said);
      }
    } else if (said.state === 'stuck' && !isRing) {
      if (!isUndecided && now - Date.parse(record.deletionTimestamp ?? '') >= 60_000) {
        differ(said.object, 'audit: nothing', said);
      }
    }
  }

  const forecast = forecastReport(snapshot, { now, within: 60_000, settings });
  const undecided = new Set(
    [...forecast.undetermined, ...forecast.unknown].map(({ object }) => object.uid),
  );
  const collected = new Map(
    forecast.items
      .filter(({ collector, action }) => collector === forecastId && action === 'delete')
      .map(({ object, because }) => [object.uid, because]),
  );
  for (const record of plain) {
    if (isBeingDeleted(record) || undecided.has(record.uid)) continue;
    if (record.ownerReferences.some(({ uid }) => isOrphaning(byUid.get(uid)))) continue;
    const references = classifiedReferences(graph, record);
    // The garbage collector does not watch Events, and notices late that one is no owner any more (GC-8).
    if (references.some(({ found }) => found && isEventType(found.type))) continue;
    // While an owner is deleted in the foreground, a forecast plays what follows of it, and `why` says what is next.
    if (references.some((reference) => reference.class === 'waiting')) continue;
    const said = why(record);
    if (said.state === 'collectable' && !collected.has(record.uid)) {
      differ(said.object, 'forecast: not collected', said);
    }
    const clause = clauseOf(collected.get(record.uid) ?? '').replace(
      /^(.*) is gone$/,
      'there is no $1',
    );
    // What has the owner's name may be gone by then: the forecast gives the reason of its time.
    if (references.some(({ found }) => found && isBeingDeleted(found))) continue;
    if (said.state === 'collectable' && !linksOf(said.chain)[0]?.because.includes(clause)) {
      differ(said.object, `forecast: ${clause}`, said);
    }
  }
  return found;
}

function clusterOf(objects: readonly KubeObject[], observedAt: string): Snapshot {
  const records = objects.flatMap((object) => {
    const type = servedTypes.find(`${object.apiVersion}`, `${object.kind}`);
    return type ? [recordOf(object, type)] : [];
  });
  return snapshotOf(records, { observedAt });
}

test.each([
  'examples/clusters/leftovers.yaml',
  'examples/clusters/shop-later.json.gz',
  'examples/clusters/shop.json.gz',
  'examples/clusters/stuck.yaml',
  'examples/clusters/what-follows.yaml',
  'test/fixtures/clusters',
])('commands agree about %s', async (path) => {
  const now = new Date('2026-02-01T00:00:00Z');
  for (const complete of [true, false]) {
    expect(contradictionsIn(whole(await fromFiles([path], { now, complete })))).toEqual([]);
  }
});

describe('commands agree about recorded clusters', () => {
  test.each(['gc-curated', 'gc-11', 'running-41', 'namespace-31'])('%s', (name) => {
    const found = readRecording(name).cases.flatMap(({ objects }) =>
      contradictionsIn(clusterOf(objects as unknown as KubeObject[], '2026-02-01T00:00:00Z')),
    );
    expect(found).toEqual([]);
  });

  test.each(recordedCleanups)('%s', (name) => {
    expect(contradictionsIn(readCleanup(name).before)).toEqual([]);
  });
});

describe('commands agree about random clusters', () => {
  const cases = randomCases(250);
  const at = '2026-02-01T00:00:00Z';

  test('of owners and finalizers', () => {
    for (let seed = 0; seed < cases; seed++) {
      const { objects } = generateCase(seed, { namespaces: seed % 2 === 0 });
      expect([seed, ...contradictionsIn(clusterOf(objects as KubeObject[], at))]).toEqual([seed]);
    }
  });

  test('of all controllers', () => {
    for (let seed = 0; seed < cases / 10; seed++) {
      const objects = collectorCluster(seed, Date.parse(at));
      expect([seed, ...contradictionsIn(clusterOf(objects, at))]).toEqual([seed]);
    }
  });

  test('that are partly read', () => {
    fc.assert(
      fc.property(anySnapshot(), (snapshot) => {
        expect(contradictionsIn(snapshot)).toEqual([]);
      }),
      { numRuns: cases },
    );
  });
});

import { describe, expect, test } from 'vitest';
import { findInvalidReferences } from '../../src/audit/invalid-references.ts';
import { doomedDependents } from '../../src/audit/rules/doomed-dependents.ts';
import { runRules } from '../../src/audit/run-rules.ts';
import { isBeingDeleted } from '../../src/kube/object-record.ts';
import { defaultControllerSettings } from '../../src/settings/controller-settings.ts';
import { simulate } from '../../src/simulator/simulate.ts';
import { buildGraph } from '../../src/snapshot/graph/graph.ts';
import { generateCase } from '../differential/generate-case.ts';
import { servedRecords, snapshotOf } from '../support/builders.ts';
import { randomCases } from '../support/random-cases.ts';

/** What rules foretell and what the simulation, which real control planes have checked, then does. */
const cases = randomCases(400);

function foretoldAndDone(seed: number) {
  const { objects } = generateCase(seed, { namespaces: false });
  const records = servedRecords(objects);
  const snapshot = snapshotOf(records);
  const graph = buildGraph(snapshot);
  const now = Date.parse('2026-02-01T00:00:00Z');
  const settings = { ...defaultControllerSettings, controllers: ['garbage-collector-controller'] };
  const lost = findInvalidReferences(graph)
    .filter(({ kubernetesRule }) => kubernetesRule === 'GC-22.13')
    .map(({ object }) => object);
  const { findings } = runRules([doomedDependents], {
    graph,
    now,
    settings,
    settingsFrom: 'read',
    scope: () => true,
  });
  const taken = findings.flatMap(({ related }) => related);
  const { objects: left, undetermined } = simulate(snapshot, [], settings, {
    now,
    start: 'after-requests',
    duration: 600_000,
  });
  const alive = new Set(left.filter((one) => !isBeingDeleted(one)).map(({ uid }) => uid));
  const open = new Set(undetermined.map(({ object }) => object.uid));
  const certain = records.filter(({ uid }) => !open.has(uid));
  const names = (uids: ReadonlySet<string>) =>
    certain.filter(({ uid }) => uids.has(uid)).map(({ type, name }) => `${type.kind} ${name}`);
  const deleted = certain.filter((one) => !isBeingDeleted(one) && !alive.has(one.uid));
  return {
    foretold: names(new Set([...lost, ...taken].map(({ uid }) => uid))),
    done: names(new Set(deleted.map(({ uid }) => uid))),
    taken: taken.length,
    isCalm: !records.some(isBeingDeleted),
  };
}

describe('random clusters', () => {
  const played = Array.from({ length: cases }, (_, seed) => ({ seed, ...foretoldAndDone(seed) }));

  test('what is forecast to be deleted is deleted', () => {
    const wrong = played.filter(
      ({ foretold, done }) => !foretold.every((one) => done.includes(one)),
    );
    expect(wrong.map(({ seed, foretold, done }) => ({ seed, foretold, done }))).toEqual([]);
  });

  test('nothing else is, where nothing was being deleted before', () => {
    const calm = played.filter(({ isCalm }) => isCalm);
    expect(calm.filter(({ foretold, done }) => `${foretold}` !== `${done}`)).toEqual([]);
    expect(calm.length).toBeGreaterThan(cases / 10);
  });

  test('trees that go are among them', () => {
    expect(played.filter(({ taken }) => taken > 0).length).toBeGreaterThanOrEqual(
      Math.floor(cases / 20),
    );
  });
});

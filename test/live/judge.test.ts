import { afterAll, beforeAll, expect, test } from 'vitest';
import { judge } from '../../src/controllers/garbage-collector/judge.ts';
import type { ObjectRecord } from '../../src/kube/object-record.ts';
import { buildGraph, type Graph } from '../../src/snapshot/graph/graph.ts';
import { type Referee, startReferee } from '../support/collector-referee.ts';
import { hold, judgedCases } from '../support/judged-references.ts';
import { stageOf } from '../support/stage.ts';

const stages = judgedCases.map(([, objects], index) => objects(stageOf(`case-${index}`)));

let referee: Referee;
let graph: Graph;

beforeAll(async () => {
  referee = await startReferee(stages.flat());
  graph = buildGraph(await referee.snapshot());
  await referee.settle();
});
afterAll(() => referee.plane.stop());

/** What the collector leaves of an object that we judge so. */
function predicted(record: ObjectRecord): string {
  const { action, references } = judge(graph, record);
  const left = record.ownerReferences.map(({ uid }) => uid);
  switch (action) {
    case 'delete':
      return record.finalizers.includes(hold) ? told(left, true) : 'gone';
    case 'patch': {
      const solid = references.filter((reference) => reference.class === 'solid');
      const removed = references.filter((reference) => !solid.includes(reference));
      const uids = new Set(removed.map(({ reference }) => reference.uid));
      return told(
        left.filter((uid) => !uids.has(uid)),
        false,
      );
    }
    case 'unknown':
      return 'unknown';
    default:
      return told(left, record.deletionTimestamp !== undefined);
  }
}

function ended(record: ObjectRecord): string {
  const end = referee.endOf(record);
  if (!end) return 'gone';
  const left = end.ownerReferences.map(({ uid }) => uid);
  return told(left, end.deletionTimestamp !== undefined);
}

function told(references: readonly string[], terminating: boolean): string {
  return `${terminating ? 'terminating' : 'alive'}, owned by ${references.join(' and ') || 'nobody'}`;
}

test.each(judgedCases.map(([name], index) => [name, index] as const))('%s', (_, index) => {
  const [subject] = stages[index] ?? [];
  const seen = subject && graph.withUid(subject.uid);
  if (!seen) throw new Error('the object was not seen');
  expect(predicted(seen)).toBe(ended(seen));
});

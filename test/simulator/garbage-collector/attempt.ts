import { expect } from 'vitest';
import type { ObjectRecord, OwnerReference } from '../../../src/kube/object-record.ts';
import { type ObjectReference, referenceTo } from '../../../src/kube/object-reference.ts';
import type { Written } from '../../../src/simulator/api-server/api-server.ts';
import type { Task } from '../../../src/simulator/engine/clock.ts';
import {
  attemptToDeleteItem,
  attemptToOrphan,
  type GcContext,
} from '../../../src/simulator/garbage-collector/attempts.ts';
import type { ReferencePatch } from '../../../src/simulator/garbage-collector/collector-requests.ts';
import type { Lookup } from '../../../src/simulator/garbage-collector/owner-lookup.ts';
import {
  AbsentOwnerCache,
  OwnershipGraph,
} from '../../../src/simulator/garbage-collector/ownership-graph.ts';
import { OwnershipNode } from '../../../src/simulator/garbage-collector/ownership-node.ts';

const removed: Written = {
  reply: { code: 200, reason: '' },
  result: 'removed',
  after: undefined,
  rule: 'GC-61',
};
export const changed: Written = { ...removed, result: 'changed' };
export const unchanged: Written = { ...removed, result: 'unchanged' };
export const refused = (code: number): Written => ({
  reply: { code, reason: '' },
  result: 'refused',
  after: undefined,
  rule: '',
});

export const found = (record: ObjectRecord): Lookup => ({ kind: 'found', record });
export const failing = (
  kind: 'no-answer' | 'unknown' | 'unresolvable' | 'namespaced-owner-of-cluster-object',
) => ({ kind, because: `it is ${kind}` }) as Lookup;
export const absent = (namespaced = true): Lookup => ({
  kind: 'absent',
  namespaced,
  because: 'it is not there',
});

/** What an API server answers; each is asked for as often as it is needed, the last one for ever. */
export interface Answers {
  /** To GET of the object itself; it is in the graph, unless given. */
  readonly self?: readonly Lookup[];
  /** To GET of its owners, by their names; those of the graph, unless given. */
  readonly owners?: Readonly<Record<string, Lookup>>;
  readonly deletion?: Written;
  readonly patch?: Written;
  /** To PATCH of its finalizers. */
  readonly finalizers?: readonly Written[];
}

/** One attempt at an object of a graph that has seen all of these. */
export function attempt(
  records: readonly ObjectRecord[],
  one: ObjectRecord,
  answers: Answers = {},
  absentOwners = new AbsentOwnerCache(),
  work: 'delete' | 'orphan' = 'delete',
) {
  const asked: string[] = [];
  const told: string[] = [];
  const queued: string[] = [];
  const forgotten: (() => void)[] = [];
  const unknown = new Map<string, string>();
  const patches: ReferencePatch[] = [];
  const graph = new OwnershipGraph(
    absentOwners,
    {
      attemptToDelete: () => undefined,
      attemptToDeleteLater: () => undefined,
      attemptToOrphan: () => undefined,
      invalidNamespace: () => undefined,
    },
    referenceTo,
  );
  for (const record of records) graph.observe(undefined, record);
  const nth = <T>(list: readonly T[], at: number) => list[Math.min(at, list.length - 1)] as T;
  let gets = 0;
  let writes = 0;
  const answer = <T>(line: string, value: T): Task<T> => later(value, () => asked.push(line));
  const own = records.find(({ uid }) => uid === one.uid);
  const worker: GcContext = {
    graph,
    absentOwners,
    unknown,
    queue: ({ identity }) => queued.push(identity.name),
    enqueueGraphEvent: (event) => forgotten.push(event),
    timeline: {
      note(actor, verb, record, result, tell) {
        const { because, rule, policy } = tell();
        told.push(
          `${verb} ${record.name} ${result}${policy ? ` ${policy}` : ''} (${rule}): ${because}`,
        );
        expect(actor).toBe('garbage-collector-controller');
      },
    } as GcContext['timeline'],
    requests: {
      get: ({ name }: ObjectReference) =>
        answer(`get ${name}`, nth(answers.self ?? [own ? found(own) : absent()], gets++)),
      findOwner: ({ name }: OwnerReference, namespace: string) => {
        const known = records.find((record) => record.name === name);
        const lookup = answers.owners?.[name] ?? (known ? found(known) : absent());
        return answer(`owner ${namespace}/${name}`, lookup);
      },
      deleteAsJudged: ({ name }, policy) =>
        answer(`delete ${name} ${policy}`, answers.deletion ?? removed),
      patchReferences: ({ identity }, _, patch) => {
        patches.push(patch);
        return answer(`patch ${identity.name}`, answers.patch ?? changed);
      },
      setFinalizers: ({ name }, finalizers) =>
        answer(
          `finalizers ${name} [${finalizers.join(', ')}]`,
          nth(answers.finalizers ?? [changed], writes++),
        ),
      *pause(milliseconds): Task<void> {
        asked.push(`pause ${milliseconds}`);
        yield milliseconds;
      },
      all: (tasks) => later(tasks.map(ended)),
    },
  };
  const node = graph.node(one.uid) ?? new OwnershipNode(referenceTo(one));
  const outcome = ended((work === 'delete' ? attemptToDeleteItem : attemptToOrphan)(worker, node));
  for (const event of forgotten) event();
  const isKnown = graph.node(one.uid) !== undefined;
  return { outcome, asked, told, queued, unknown: [...unknown], patches, isKnown, forgotten };
}

function* later<T>(value: T, begin?: () => void): Task<T> {
  begin?.();
  yield 0;
  return value;
}

function ended<T>(task: Task<T>): T {
  for (;;) {
    const { done, value } = task.next();
    if (done) return value;
  }
}

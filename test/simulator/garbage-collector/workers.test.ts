import { expect, test } from 'vitest';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { referenceTo } from '../../../src/kube/object-reference.ts';
import { Workers } from '../../../src/simulator/garbage-collector/workers.ts';
import { configMap, ownedByGone, secret } from '../../support/builders.ts';
import { failing, type found } from './attempt.ts';

/** Workers whose requests wait until the test answers them, and what their clock is asked for. */
function workersOf(...records: ObjectRecord[]) {
  const timers: { readonly line: string; readonly run: () => void }[] = [];
  const asked: string[] = [];
  const answers: ((answer: ReturnType<typeof found>) => void)[] = [];
  const workers = new Workers<'answer'>({
    requests: {
      *get({ name }: { readonly name: string }) {
        asked.push(name);
        yield 'answer' as const;
        return next;
      },
      *all(tasks: readonly unknown[]) {
        asked.push(`all ${tasks.length}`);
        yield 'answer' as const;
        return [];
      },
    } as never,
    clock: {
      now: 0,
      after: (delay, run) => timers.push({ line: `after ${delay}`, run }),
      retryAfter: (delay, run) => timers.push({ line: `retry after ${delay}`, run }),
      start(task, done) {
        if (task.next().done) throw new Error('no first request');
        answers.push((answer) => {
          next = answer;
          const { value } = task.next();
          done(value as never);
        });
      },
    },
    timing: {
      queue: (uid, isFirst) => (isFirst ? 1000 : uid.length),
      retry: (failures) => 5 * 2 ** failures,
    },
    timeline: { note: () => undefined } as never,
    noteChange: () => undefined,
    identityOf: referenceTo,
    invalidNamespace: () => undefined,
  });
  let next = failing('unresolvable');
  for (const record of records) workers.graph.observe(undefined, record);
  return {
    workers,
    asked,
    /** What the clock has been asked for since. */
    due: () => timers.map(({ line }) => line),
    run() {
      timers.shift()?.run();
    },
    answer(given: ReturnType<typeof found>) {
      answers.shift()?.(given);
    },
  };
}

const uid = 'twelve-signs';
const gone = ownedByGone('v1 ConfigMap gone', { uid });
const child = secret('child', { ownerReferences: [gone] });

test('an item that is queued before the first lists end waits for them, and is not queued twice', () => {
  const sibling = secret('sibling', { ownerReferences: [{ ...gone, name: 'other' }] });
  const { workers, due, run, asked } = workersOf(child, sibling);
  workers.graph.observe(sibling, sibling);
  expect(due()).toEqual([]);
  workers.start();
  // The virtual owner, and the dependent that calls it otherwise.
  expect(due()).toEqual(['after 1000', 'after 1000']);
  run();
  expect(asked).toEqual(['gone']);
});

test('a failed item is retried with growing delays until it succeeds', () => {
  const { workers, due, run, answer } = workersOf(child);
  workers.start();
  const fail = (kind: 'unresolvable' | 'no-answer') => {
    run();
    answer(failing(kind));
    return due().join(', ');
  };
  expect(due()).toEqual(['after 1000']);
  expect(fail('unresolvable')).toBe('retry after 5');
  run();
  // It is queued again, now that everything is listed: after as long as its uid says here.
  expect(due()).toEqual([`after ${uid.length}`]);
  expect(fail('no-answer')).toBe('after 10');
  run();
  expect(fail('unresolvable')).toBe('retry after 20');
  run();
  run();
  answer(failing('namespaced-owner-of-cluster-object'));
  expect(due()).toEqual([]);
  // It has succeeded: the next failure counts as the first.
  workers.graph.observe(undefined, configMap('renamed', { uid }));
  workers.graph.observe(child, { ...child, ownerReferences: [] });
  workers.graph.observe(undefined, configMap('renamed', { uid, deleting: 'foreground' }));
  const again = due().length;
  run();
  answer(failing('no-answer'));
  expect([again, due().at(-1)]).toEqual([2, 'after 5']);
});

test('an item that changes while it is processed is processed again, once', () => {
  const { workers, due, run, answer } = workersOf(child);
  workers.start();
  run();
  const owner = configMap('gone', { uid });
  workers.graph.observe(undefined, owner);
  const foreground = configMap('gone', { uid, deleting: 'foreground' });
  workers.graph.observe(owner, foreground);
  const listed = due().length;
  workers.graph.observe(foreground, { ...foreground, finalizers: [] });
  workers.graph.observe({ ...foreground, finalizers: [] }, foreground);
  answer(failing('namespaced-owner-of-cluster-object'));
  // Its dependent was queued meanwhile, and now the owner is, too.
  expect([listed, due()]).toEqual([1, ['after 21', `after ${uid.length}`]]);
});

import { describe, expect, test } from 'vitest';
import type { Fate } from '../../../src/deletion/plan/plan.ts';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import {
  expectedObjects,
  untilGone,
  untilSettled,
} from '../../../src/perform/follow/expected-end.ts';
import { StallWatch } from '../../../src/perform/follow/stall-watch.ts';
import type { Execution, Pace } from '../../../src/perform/run-context.ts';
import {
  builderOf,
  configMap,
  deployment,
  gadget,
  ownedBy,
  pod,
  replicaSet,
  widget,
} from '../../support/builders.ts';
import { rowsOf } from '../../support/rows.ts';
import { pace, planned, requestFor } from '../send/plans.ts';
import { following } from './tracked.ts';

const namespace = builderOf('v1', 'Namespace');
const definition = builderOf('apiextensions.k8s.io/v1', 'CustomResourceDefinition');

describe('what the accepted requests bring about', () => {
  const web = deployment('web');
  const below = (name: string, ...owners: ObjectRecord[]) =>
    replicaSet(name, { ownerReferences: owners.map((owner) => ownedBy(owner)) });
  const set = below('set', web);
  const other = deployment('other');
  const elsewhere = { namespace: 'bank' };
  const called: Readonly<Record<string, ObjectRecord>> = {
    web,
    set,
    leaf: pod('leaf', { ownerReferences: [ownedBy(set)] }),
    other,
    shared: below('shared', web, other),
    shop: namespace('shop'),
    bank: configMap('bank', elsewhere),
    widgets: definition('widgets.example.com'),
    w: widget('w'),
    g: gadget('g'),
    'like-shop': configMap('shop', elsewhere),
    'like-widgets': configMap('widgets.example.com', elsewhere),
  };
  const all = (names = '') => names.split(' ').flatMap((name) => called[name] ?? []);

  // The objects, those that are asked for, those that are accepted, and what is expected.
  const rows = rowsOf(`
    all                    | web set other        | web other  | web other | web set other
    the tree of one        | web set leaf other   | web other  | web       | web set leaf
    not what another holds | web set shared other | web other  | web       | web set
    not the tree of the other | web set other     | web other  | other     | other
    nothing                | web set other        | web other  |           |
    an object that was accepted itself, though its owner was not | web set leaf | web set | set | set
    what is in a namespace | shop web bank other  | shop bank  | shop      | shop web other
    of a definition its objects | widgets w g web | widgets web | widgets  | widgets w
    not what has the name of a namespace or definition | like-shop like-widgets web w bank | like-shop like-widgets bank
        | like-shop like-widgets | like-shop like-widgets
  `);
  test.each(rows)('%s', (_, objects, asked, accepted, expected) => {
    const { tracked } = following(...all(objects).map((record) => planned(record, 'deleted')));
    for (const record of all(objects)) tracked.see(record);
    const requests = all(asked).map((record) => requestFor(record));
    const uids = new Set(all(accepted).map(({ uid }) => uid));
    const found = expectedObjects(tracked, requests, uids).map(({ planned: { uid } }) => uid);
    expect(found).toEqual(all(expected).map(({ uid }) => uid));
  });
});

const never = 60_000;
const patient: Pace = { ...pace, quiet: never, quietWithFinalizers: never };

/** A run that is stopped after 20 ms. */
function execution(changes: Partial<Pace> = {}): Execution {
  const stop = AbortSignal.timeout(20);
  return { pace: { ...patient, ...changes }, stop, options: {} } as unknown as Execution;
}

const deletionTimestamp = '2026-01-03T00:00:00Z';

/** Objects of these fates, of which the cluster shows what `records` say. */
function seen(...objects: readonly [Fate, ObjectRecord | undefined][]) {
  const records = objects.map(([, record], index) => record ?? configMap(`unseen-${index}`));
  const followed = following(
    ...objects.map(([fate], index) => planned(records[index] as ObjectRecord, fate)),
  );
  for (const [, record] of objects) if (record) followed.tracked.see(record);
  return { ...followed, records };
}

describe('the end of a tree', () => {
  const endOf = ({ tracked }: ReturnType<typeof seen>, changes: Partial<Pace> = {}) => {
    const run = execution(changes);
    const stallWatch = new StallWatch(run, tracked, new Set());
    return untilSettled(run, tracked, [...tracked.all], stallWatch);
  };
  /** `terminating: a/b` is held by that, and `kept: a/b` has it as well. */
  const objectOf = (text: string): [Fate, ObjectRecord] => {
    const [fate = '', ...finalizers] = text.split(/[: ]+/);
    const isHeld = fate === 'terminating';
    const going = isHeld && { deletionTimestamp };
    return [fate as Fate, configMap(fate, { finalizers, ...going })];
  };

  test('an object to be deleted is waited for, also an orphan that was never seen', async () => {
    const soon = { quiet: 0, quietWithFinalizers: 0 };
    expect(await endOf(seen(['deleted', configMap('a')]), soon)).toBe('timed-out');
    expect(await endOf(seen(['recreated', configMap('a')]), soon)).toBe('timed-out');
    expect(await endOf(seen(['orphaned', undefined]), soon)).toBe('timed-out');
    expect(await endOf(seen(['orphaned', configMap('a')]), soon)).toBe('settled');
  });

  test('what cannot be seen is not waited for', async () => {
    const followed = seen(['deleted', undefined]);
    for (const object of followed.tracked.all) followed.tracked.lose(object, 'it is forbidden');
    expect(await endOf(followed, { quiet: 0 })).toBe('settled');
  });

  const rows = rowsOf(`
    what lives on                           | kept: a/b                               | quiet
    orphans                                 | orphaned: a/b                           | quiet
    what lives on beside an orphan          | kept, orphaned                          | quiet
    what only the garbage collector holds   | terminating: foregroundDeletion orphan  | quiet
    what others hold                        | terminating: foregroundDeletion a/b     | quietWithFinalizers
    what others hold beside what lives on   | kept, terminating: a/b                  | quietWithFinalizers
  `);
  test.each(rows)('%s is awaited while nothing changes', async (_, text = '', which = '') => {
    const objects = text.split(', ').map(objectOf);
    expect(await endOf(seen(...objects), { [which]: 0 })).toBe('settled');
    const others = { quiet: 0, quietWithFinalizers: 0, [which]: never };
    expect(await endOf(seen(...objects), others)).toBe('timed-out');
  });

  test('a dependent that the plan did not know may be about to go', async () => {
    const late = (owner: ObjectRecord) => configMap('late', { ownerReferences: [ownedBy(owner)] });
    const followed = seen(['deleted', configMap('a')]);
    const [a] = followed.records as [ObjectRecord];
    followed.tracked.see(late(a));
    followed.tracked.gone(a.uid);
    expect(await endOf(followed)).toBe('timed-out');
    expect(await endOf(followed, { quiet: 0 })).toBe('settled');
    followed.tracked.gone(late(a).uid);
    expect(await endOf(followed)).toBe('gone');
  });
});

describe('the end of the objects that were asked for', () => {
  test.each<[string, ('gone' | 'blind' | 'there')[], string]>([
    ['all are gone', ['gone', 'gone'], 'gone'],
    ['one is there', ['gone', 'there'], 'timed-out'],
    ['one cannot be seen', ['gone', 'blind'], 'gone'],
    ['one exists, one is unobservable', ['there', 'blind'], 'timed-out'],
  ])('%s', async (_, states, ended) => {
    const followed = seen(
      ...states.map((__, i) => ['deleted', configMap(`c-${i}`)] as [Fate, ObjectRecord]),
    );
    const { tracked } = followed;
    for (const [index, object] of [...tracked.all].entries()) {
      if (states[index] === 'gone') tracked.gone(object.planned.uid);
      if (states[index] === 'blind') tracked.lose(object, 'it is forbidden');
    }
    const run = execution();
    const stallWatch = new StallWatch(run, tracked, new Set());
    expect(await untilGone(run, [...tracked.all], stallWatch)).toBe(ended);
  });
});

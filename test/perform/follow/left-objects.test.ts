import { describe, expect, test } from 'vitest';
import type { Fate, PlannedObject } from '../../../src/deletion/plan/plan.ts';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { objectOf } from '../../../src/kube/record-codec.ts';
import {
  differences,
  isLeft,
  leftEvents,
  readLeft,
} from '../../../src/perform/follow/left-objects.ts';
import { defaultPace, type Execution } from '../../../src/perform/run-context.ts';
import { type Answer, clientThat } from '../../cluster/fake-client.ts';
import { builderOf, configMap, ownedBy, pod, secret } from '../../support/builders.ts';
import { rowsOf } from '../../support/rows.ts';
import { planned } from '../send/plans.ts';
import { following } from './tracked.ts';

const app = configMap('app');
const deletionTimestamp = '2026-01-03T00:00:00Z';
const going = (record: ObjectRecord, ...finalizers: string[]): ObjectRecord => ({
  ...record,
  deletionTimestamp,
  finalizers,
});

describe('whether the end differs from the plan', () => {
  type Seen = 'gone' | 'there' | 'terminating' | 'recreated' | 'orphaned' | 'lost' | 'unseen';
  const finalizer = { kind: 'finalizer', name: 'a/b' } as const;
  const kubelet = { kind: 'kubelet', name: 'n1' } as const;
  const later = (then: Fate) => ({ then });

  function differs(
    fate: Fate,
    seen: Seen,
    changes: Partial<PlannedObject> = {},
    ended: Parameters<typeof differences>[1] = 'settled',
    wasAsked = true,
  ) {
    const { tracked, the } = following(planned(app, fate, changes));
    const looks: Record<Seen, () => void> = {
      gone: () => tracked.gone(app.uid),
      there: () => tracked.see(app),
      terminating: () => tracked.see(going(app)),
      recreated: () => tracked.see({ ...app, uid: 'another' }),
      orphaned: () => tracked.see(app),
      lost: () => tracked.lose(the(app.uid), 'it is forbidden'),
      unseen: () => undefined,
    };
    looks[seen]();
    const asked = new Set(wasAsked ? [app.uid] : []);
    return differences(tracked.all, ended, asked).map(({ observed }) => observed);
  }

  test.each<[Fate, Seen, string[]]>([
    ['deleted', 'gone', []],
    ['deleted', 'there', ['kept']],
    ['deleted', 'terminating', ['terminating']],
    ['deleted', 'recreated', ['recreated']],
    ['recreated', 'gone', []],
    ['recreated', 'recreated', []],
    ['recreated', 'there', ['kept']],
    ['orphaned', 'gone', ['gone']],
    ['orphaned', 'terminating', ['terminating']],
    ['kept', 'there', []],
    ['kept', 'gone', ['gone']],
    ['kept', 'terminating', ['terminating']],
    ['kept', 'recreated', ['recreated']],
    ['terminating', 'terminating', []],
    ['terminating', 'there', ['kept']],
    ['terminating', 'gone', ['gone']],
    ['unknown', 'there', []],
    ['unknown', 'gone', []],
    ['unknown', 'recreated', []],
    ['unknown', 'terminating', []],
    ['deleted', 'lost', []],
    ['deleted', 'unseen', []],
    ['kept', 'unseen', []],
  ])('planned to be %s, and %s', (fate, seen, expected) => {
    expect(differs(fate, seen)).toEqual(expected);
  });

  test.each<[Fate, Seen, string[]]>([
    ['deleted', 'there', []],
    ['deleted', 'terminating', []],
    ['deleted', 'recreated', ['recreated']],
    ['kept', 'terminating', ['terminating']],
    ['orphaned', 'gone', ['gone']],
  ])(
    'planned to be %s, and %s after an interruption or without a request',
    (fate, seen, expected) => {
      expect(differs(fate, seen, {}, 'interrupted')).toEqual(expected);
      expect(differs(fate, seen, {}, 'failed', false)).toEqual(expected);
    },
  );

  test.each<[Fate, PlannedObject['blockedBy'], string[]]>([
    ['terminating', [finalizer], []],
    ['terminating', [finalizer, finalizer], []],
    ['terminating', [finalizer, kubelet], ['gone']],
    ['terminating', [kubelet], ['gone']],
    ['kept', [finalizer], ['gone']],
  ])('planned to be %s by %j, and gone', (fate, blockedBy, expected) => {
    expect(differs(fate, 'gone', { blockedBy })).toEqual(expected);
  });

  test.each<[Fate, Seen, string[]]>([
    ['deleted', 'gone', []],
    ['deleted', 'terminating', []],
    ['deleted', 'there', []],
    ['deleted', 'recreated', ['recreated']],
    ['recreated', 'recreated', []],
  ])('kept until it is %s, and %s', (then, seen, expected) => {
    expect(differs('kept', seen, later(then))).toEqual(expected);
  });
});

describe('why an object is left', () => {
  interface Around {
    readonly others?: readonly ObjectRecord[];
    readonly gone?: readonly ObjectRecord[];
    readonly accepted?: boolean;
    /** The run was interrupted, and nothing was read since. */
    readonly unread?: boolean;
  }
  /** The reason, and what it names. */
  function leftOf(seen: ObjectRecord | undefined, around: Around = {}, read?: ObjectRecord) {
    const { others = [], gone = [], accepted = true, unread = false } = around;
    const object = seen ?? app;
    const all = [object, ...others].map((record) => planned(record, 'deleted'));
    const { tracked, the } = following(...all);
    if (seen) tracked.see(seen);
    for (const record of others) tracked.see(record);
    for (const { uid } of gone) tracked.gone(uid);
    const [left] = leftEvents([the(object.uid)], {
      tracked,
      records: new Map(read ? [[read.uid, read]] : []),
      unaccepted: new Set(accepted ? [] : [object.uid]),
      unread: new Set(unread ? [object.uid] : []),
      now: Date.parse('2026-01-01T00:10:00Z'),
    });
    return {
      because: left?.because,
      blockers: left?.blockedBy.map(({ kind, name }) => `${kind} ${name}`),
    };
  }
  const [owner, other] = [configMap('owner'), configMap('other')];
  const holding = (name: string, blockOwnerDeletion: boolean) =>
    configMap(name, { ownerReferences: [ownedBy(app, { blockOwnerDeletion })] });
  const called: Readonly<Record<string, ObjectRecord>> = {
    owner,
    other,
    app,
    two: configMap('app', { ownerReferences: [ownedBy(owner), ownedBy(other)] }),
    going: going(app),
    holds: holding('x', true),
    lets: holding('y', false),
  };
  const all = (names = '') => names.split(' ').flatMap((name) => called[name] ?? []);

  // What is seen of it with which finalizers, what else is there, what of that is gone, and what holds it.
  const rows = rowsOf(`
    it was never seen                  |                      |             |             | unknown whether it was deleted |
    it was not asked for               | app                  | unaccepted  |             | no request to delete it was accepted |
    it has no owner                    | app                  |             |             | it is not marked for deletion |
    a finalizer that holds nothing yet | app a/b              |             |             | it is not marked for deletion |
    one of its owners is gone          | two                  | owner other | owner       | it is not marked for deletion |
    all its owners are gone | two | owner other | owner other
        | its owners were deleted, but it is not collected yet; why --gc reports whether the garbage collector runs |
    nothing holds it                   | going                |             |             | it is terminating |
    finalizers | going a/b orphan | |
        | its finalizer a/b was not removed; the garbage collector still releases its dependents | finalizer a/b, finalizer orphan
    a dependent that holds it up | going foregroundDeletion a/b | holds lets |
        | it waits for its dependent ConfigMap x; its finalizer a/b was not removed | dependent ConfigMap x, finalizer a/b
    dependents that do not hold it up | going foregroundDeletion | lets |
        | the garbage collector still deletes its dependents | finalizer foregroundDeletion
    a dependent that is gone | going foregroundDeletion | holds | holds
        | the garbage collector still deletes its dependents | finalizer foregroundDeletion
    dependents of an object that is not deleted in the foreground | going a/b | holds | | its finalizer a/b was not removed
        | finalizer a/b
  `);
  test.each(rows)('%s', (_, object = '', others, gone, because, blockers) => {
    const [name = '', ...finalizers] = object.split(' ');
    const record = called[name];
    const around = { others: all(others), gone: all(gone), accepted: others !== 'unaccepted' };
    const left = leftOf(record && { ...record, finalizers }, around);
    expect([left.because, left.blockers?.join(', ')]).toEqual([because, blockers]);
  });

  const web = pod('web');
  const onNode = (grace: number | undefined) =>
    pod('web', { facts: { nodeName: 'n1' }, deletionGracePeriodSeconds: grace, deletionTimestamp });
  test('a pod, by its kubelet or by its deletion', () => {
    const reads = { 'on a node': onNode(30), 'by force': onNode(0), 'without a node': going(web) };
    const reasons = Object.entries(reads).map(
      ([what, read]) => `${what}: ${leftOf(going(web), {}, read).because}`,
    );
    const unread = leftOf(going(web)).because;
    const unmarked = leftOf(web, {}, { ...going(web), deletionTimestamp: undefined }).because;
    expect(
      [...reasons, `unread: ${unread}`, `unmarked: ${unmarked}`].join('\n'),
    ).toMatchInlineSnapshot(`
      "on a node: the kubelet of node n1 has not confirmed that it has stopped
      by force: it is terminating
      without a node: it is terminating
      unread: it is terminating
      unmarked: it is not marked for deletion"
    `);
  });

  const unknown = expect.stringMatching(/^unknown whether it was deleted/);

  test('after an interruption, what was not seen to be deleted may be gone', () => {
    const collectable = { others: [owner, other], gone: [owner, other] };
    expect(leftOf(app, { unread: true }).because).toEqual(unknown);
    expect(leftOf(called.two, { ...collectable, unread: true }).because).toEqual(unknown);
    expect(leftOf(app, { unread: true, accepted: false }).because).not.toEqual(unknown);
    const held = { ...going(app), finalizers: ['a/b'] };
    expect(leftOf(held, { unread: true }).blockers).toEqual(['finalizer a/b']);
  });

  test('a namespace says what its conditions say', () => {
    const shop = builderOf('v1', 'Namespace')('shop');
    const condition = (status: string, message?: string) => ({
      type: 'NamespaceFinalizersRemaining',
      status,
      message,
    });
    const conditions = [
      condition('True', 'pods remain'),
      condition('False', 'no'),
      condition('True'),
    ];
    const read = going({ ...shop, facts: { conditions } as ObjectRecord['facts'] });
    expect(leftOf(going(shop), {}, read).because).toBe('pods remain; NamespaceFinalizersRemaining');
    expect(leftOf(going(shop), {}, going(shop)).because).toBe(
      'its finalizer kubernetes was not removed',
    );
  });

  test('a failed storage says so beside the finalizer that remains', () => {
    const held = going(builderOf('v1', 'PersistentVolume')('disk'), 'a/b');
    const read = { ...held, facts: { phase: 'Failed', message: 'busy' } as ObjectRecord['facts'] };
    expect(leftOf(held, {}, read)).toEqual({
      because:
        'its finalizer a/b was not removed; its status reported phase Failed at an unknown time: busy',
      blockers: ['finalizer a/b'],
    });
  });

  test('what may stay is not left', () => {
    const left = (
      ['deleted', 'recreated', 'terminating', 'kept', 'orphaned', 'unknown'] as const
    ).filter((fate) => [...following(planned(app, fate)).tracked.all].every(isLeft));
    expect(left).toEqual(['deleted', 'recreated', 'terminating']);
  });
});

describe('what is left is read again', () => {
  /** A server that answers by name; `asked` is what each was asked for. */
  function reading(answers: Record<string, Answer>, ...objects: ObjectRecord[]) {
    const asked: string[] = [];
    const client = clientThat(({ path, headers }) => {
      const name = path.split('/').at(-1) ?? '';
      const isBare = headers?.accept?.includes('PartialObjectMetadata');
      asked.push(`${name} ${isBare ? 'metadata' : 'whole'}`);
      return answers[name] ?? { status: 403, body: {} };
    });
    const followed = following(...objects.map((record) => planned(record, 'deleted')));
    const execution = { client, pace: defaultPace } as unknown as Execution;
    const read = () => readLeft(execution, [...followed.tracked.all], followed.tracked);
    return { ...followed, asked, read };
  }

  test('in full only where that says more, and never a Secret', async () => {
    const records = [
      pod('pod'),
      builderOf('v1', 'Namespace')('namespace'),
      secret('secret'),
      configMap('config'),
    ];
    const { asked, read } = reading({}, ...records);
    await read();
    expect(asked).toEqual(['pod whole', 'namespace whole', 'secret metadata', 'config metadata']);
  });

  test('deleted objects, replaced objects, and unread ones', async () => {
    const [goes, replaced, hidden, held] = ['goes', 'replaced', 'hidden', 'held'].map((name) =>
      configMap(name),
    ) as [ObjectRecord, ObjectRecord, ObjectRecord, ObjectRecord];
    const { tracked, the, read } = reading(
      {
        goes: { status: 404, body: { kind: 'Status', details: { name: 'goes' } } },
        replaced: { body: objectOf({ ...replaced, uid: 'another' }) },
        held: { body: objectOf(going(held, 'a/b')) },
      },
      goes,
      replaced,
      hidden,
      held,
    );
    const records = await read();
    expect([...records].map(([uid, record]) => [uid, record?.name])).toEqual([
      [goes.uid, undefined],
      [replaced.uid, undefined],
      [hidden.uid, undefined],
      [held.uid, 'held'],
    ]);
    expect([goes, replaced, hidden].map(({ uid }) => tracked.isGone(uid))).toEqual([
      true,
      true,
      false,
    ]);
    expect(the(held.uid)).toMatchObject({ terminating: true, finalizers: ['a/b'] });
  });
});

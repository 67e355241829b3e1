import { describe } from 'vitest';
import { duplicateUid, severalControllers } from '../../../../src/audit/rules/reference-lists.ts';
import { casesOfReferences } from '../../../support/findings.ts';

describe('several-controllers', () => {
  const all =
    'are all marked controller: true; controllers follow the first one only, and the API server refuses every update of the object';
  const both = (one: string, other: string) =>
    `Pod web-1: ReplicaSet/${one} and ReplicaSet/${other} ${all}`;
  const keeping = (one: string) => `leave ReplicaSet/${one} as the only controller`;
  const none = 'none (GC-22.10)';
  const removed = 'reference removed (GC-22.11)';
  const collected = 'deleted on the next pass (GC-22.13)';
  casesOfReferences(
    severalControllers,
    `
    pod     | Pod web-1
    blue    | ReplicaSet blue
    green   | ReplicaSet green
    waiting | ReplicaSet waiting | {deleting: true, finalizers: [foregroundDeletion]}
    `,
    `
    blue    | blue    | {controller: true}
    green   | green   | {controller: true}
    waiting | waiting | {controller: true}
    gone    | apps/v1 ReplicaSet gone | {controller: true}
    lost    | apps/v1 ReplicaSet gone | {controller: true, uid: x}
    other   | green   | {controller: false}
    beside  | blue
    late    | waiting
    `,
    `
    of two controllers the first one that lives stays | pod <- blue, green; blue; green |
        | ${both('blue', 'green')} | ${none} | ${keeping('blue')} | 1: controller=false
    a missing one yields to one that lives | pod <- gone, green; green |
        | ${both('gone', 'green')} | ${removed} | ${keeping('green')} | 0: controller=false
    wherever it stands | pod <- blue, gone; blue | | ${both('blue', 'gone')} | ${removed} | ${keeping('blue')}
        | 1: controller=false
    a missing one yields to one that waits | pod <- gone, waiting; waiting |
        | ${both('gone', 'waiting')} | ${collected} | ${keeping('waiting')} | 0: controller=false
    one that waits yields to one that lives | pod <- waiting, blue; waiting; blue |
        | ${both('waiting', 'blue')} | ${removed} | ${keeping('blue')} | 0: controller=false
    of two missing ones the first stays | pod <- gone, lost |
        | ${both('gone', 'gone')} | ${collected} | ${keeping('gone')} | 1: controller=false
    others are not touched | pod <- beside, gone, green; blue; green |
        | ${both('gone', 'green')} | ${removed} | ${keeping('green')} | 1: controller=false
    not where there is one among other owners | pod <- blue, other, late; blue; green; waiting
    `,
  );
});

describe('duplicate-uid', () => {
  const uid = (count: number, of: string) =>
    `${count} references name uid ${of}; removing one by uid removes them all`;
  const web = 'uid-replicaset-shop-web';
  const finding = `Pod web-1 > ReplicaSet x: ${uid(2, web)}`;
  const removed = 'reference removed (GC-22.11)';
  const keep = 'keep one of them';
  casesOfReferences(
    duplicateUid,
    `
    pod | Pod web-1
    web | ReplicaSet web
    `,
    `
    right | web
    wrong | web | {name: x}
    y     | web | {name: y}
    gone  | apps/v1 ReplicaSet gone
    draft | v1 Secret s | {uid: ""}
    s     | v1 Secret s
    `,
    `
    a right and a wrong one with one uid go together, and leave the object without an owner | pod <- right, wrong; web |
        | ${finding} | ${removed} | ${keep} | 1: removed
    the one that is right is kept, wherever it stands | pod <- wrong, s, right, y; web |
        | Pod web-1 > ReplicaSet x: ${uid(3, web)} | ${removed} | ${keep} | 0: removed | 3: removed
    two that differ in a flag only are harmless until one is to be removed | pod <- right, right!; web |
        | Pod web-1 > ReplicaSet web: ${uid(2, web)} | none (GC-22.10) | ${keep} | 1: removed
    each uid is a case of its own | pod <- right, gone, wrong, gone!; web |
        | Pod web-1 > ReplicaSet gone: ${uid(2, 'uid-gone-gone')} | ${removed} | ${keep} | 3: removed
        | ${finding} | ${removed} | ${keep} | 2: removed
    not where the owners differ          | pod <- right, s; web
    not where references have no uid     | pod <- draft, draft
    `,
  );
});

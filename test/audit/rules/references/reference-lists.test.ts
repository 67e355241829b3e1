import { describe, expect, test } from 'vitest';
import { duplicateUid, severalControllers } from '../../../../src/audit/rules/reference-lists.ts';
import { foundByReferences } from '../../../support/findings.ts';

describe('several-controllers', () => {
  test('finds these cases and no others', () => {
    expect(
      foundByReferences(
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
    of two controllers the first one that lives stays | pod <- blue, green; blue; green
    a missing one yields to one that lives | pod <- gone, green; green
    wherever it stands | pod <- blue, gone; blue
    a missing one yields to one that waits | pod <- gone, waiting; waiting
    one that waits yields to one that lives | pod <- waiting, blue; waiting; blue
    of two missing ones the first stays | pod <- gone, lost
    others are not touched | pod <- beside, gone, green; blue; green
    not where there is one among other owners | pod <- blue, other, late; blue; green; waiting
    `,
      ),
    ).toMatchInlineSnapshot(`
      "of two controllers the first one that lives stays
        Pod web-1: ReplicaSet/blue and ReplicaSet/green are all marked controller: true; controllers follow the first one only, and the API server refuses every update of the object
        none (GC-22.10)
        leave ReplicaSet/blue as the only controller
        1: controller=false
      a missing one yields to one that lives
        Pod web-1: ReplicaSet/gone and ReplicaSet/green are all marked controller: true; controllers follow the first one only, and the API server refuses every update of the object
        reference-removed (GC-22.11)
        leave ReplicaSet/green as the only controller
        0: controller=false
      wherever it stands
        Pod web-1: ReplicaSet/blue and ReplicaSet/gone are all marked controller: true; controllers follow the first one only, and the API server refuses every update of the object
        reference-removed (GC-22.11)
        leave ReplicaSet/blue as the only controller
        1: controller=false
      a missing one yields to one that waits
        Pod web-1: ReplicaSet/gone and ReplicaSet/waiting are all marked controller: true; controllers follow the first one only, and the API server refuses every update of the object
        deleted (GC-22.13)
        leave ReplicaSet/waiting as the only controller
        0: controller=false
      one that waits yields to one that lives
        Pod web-1: ReplicaSet/waiting and ReplicaSet/blue are all marked controller: true; controllers follow the first one only, and the API server refuses every update of the object
        reference-removed (GC-22.11)
        leave ReplicaSet/blue as the only controller
        0: controller=false
      of two missing ones the first stays
        Pod web-1: ReplicaSet/gone and ReplicaSet/gone are all marked controller: true; controllers follow the first one only, and the API server refuses every update of the object
        deleted (GC-22.13)
        leave ReplicaSet/gone as the only controller
        1: controller=false
      others are not touched
        Pod web-1: ReplicaSet/gone and ReplicaSet/green are all marked controller: true; controllers follow the first one only, and the API server refuses every update of the object
        reference-removed (GC-22.11)
        leave ReplicaSet/green as the only controller
        1: controller=false
      not where there is one among other owners"
    `);
  });
});

describe('duplicate-uid', () => {
  test('finds these cases and no others', () => {
    expect(
      foundByReferences(
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
    a right and a wrong one with one uid go together, and leave the object without an owner | pod <- right, wrong; web
    the one that is right is kept, wherever it stands | pod <- wrong, s, right, y; web
    two that differ in a flag only are harmless until one is to be removed | pod <- right, right!; web
    each uid is a case of its own | pod <- right, gone, wrong, gone!; web
    not where the owners differ | pod <- right, s; web
    not where references have no uid | pod <- draft, draft
    `,
      ),
    ).toMatchInlineSnapshot(`
      "a right and a wrong one with one uid go together, and leave the object without an owner
        Pod web-1 > ReplicaSet x: 2 references name uid uid-replicaset-shop-web; removing one by uid removes them all
        reference-removed (GC-22.11)
        keep one of them
        1: removed
      the one that is right is kept, wherever it stands
        Pod web-1 > ReplicaSet x: 3 references name uid uid-replicaset-shop-web; removing one by uid removes them all
        reference-removed (GC-22.11)
        keep one of them
        0: removed
        3: removed
      two that differ in a flag only are harmless until one is to be removed
        Pod web-1 > ReplicaSet web: 2 references name uid uid-replicaset-shop-web; removing one by uid removes them all
        none (GC-22.10)
        keep one of them
        1: removed
      each uid is a case of its own
        Pod web-1 > ReplicaSet gone: 2 references name uid uid-gone-gone; removing one by uid removes them all
        reference-removed (GC-22.11)
        keep one of them
        3: removed
        Pod web-1 > ReplicaSet x: 2 references name uid uid-replicaset-shop-web; removing one by uid removes them all
        reference-removed (GC-22.11)
        keep one of them
        2: removed
      not where the owners differ
      not where references have no uid"
    `);
  });
});

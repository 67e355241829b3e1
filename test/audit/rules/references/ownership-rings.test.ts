import { describe, expect, test } from 'vitest';
import { ownershipCycle, selfOwner } from '../../../../src/audit/rules/ownership-rings.ts';
import { foundByReferences } from '../../../support/findings.ts';

describe('self-owner', () => {
  const foreground = '{deleting: true, finalizers: [foregroundDeletion]}';
  test('finds these cases and no others', () => {
    expect(
      foundByReferences(
        selfOwner,
        `
    self  | ConfigMap narcissus
    draft | ConfigMap narcissus | {uid: ""}
    echo  | ConfigMap echo
    `,
        `
    self     | self
    draft    | draft
    misnamed | self | {name: echo}
    echo     | echo
    former   | v1 ConfigMap narcissus
    `,
        `
    an object that owns itself is kept by itself | self <- self
    with blockOwnerDeletion it blocks its own deletion | self <- self!
    once that has begun, it never ends | self ${foreground} <- self!
    not even with a wrong name | self ${foreground} <- misnamed!
    one that does not block goes its way | self ${foreground} <- self
    so does one that has another finalizer | self {deleting: true, finalizers: [shop.example.com/drain]} <- self
    one that names itself wrongly does not even keep itself | self <- misnamed
    not where another one owns it | self <- echo; echo
    not where its former self did | self <- former
    not where it is a manifest without a uid | draft <- draft
    `,
      ),
    ).toMatchInlineSnapshot(`
      "an object that owns itself is kept by itself
        ConfigMap narcissus > ConfigMap narcissus: the reference names the object itself
        never-collected (GC-22.10)
        remove the reference
        0: removed
      with blockOwnerDeletion it blocks its own deletion
        ConfigMap narcissus > ConfigMap narcissus: the reference names the object itself
        never-collected, blocks-foreground-deletion (GC-22.10)
        remove the reference
        0: removed
      once that has begun, it never ends
        ConfigMap narcissus > ConfigMap narcissus: the reference names the object itself
        blocks-foreground-deletion (GC-23)
        remove the reference
        0: removed
      not even with a wrong name
        ConfigMap narcissus > ConfigMap echo: the reference names the object itself
        blocks-foreground-deletion (GC-23)
        remove the reference
        0: removed
      one that does not block goes its way
        ConfigMap narcissus > ConfigMap narcissus: the reference names the object itself
        being-deleted (GC-23)
        remove the reference
        0: removed
      so does one that has another finalizer
        ConfigMap narcissus > ConfigMap narcissus: the reference names the object itself
        being-deleted (GC-22.1)
        remove the reference
        0: removed
      one that names itself wrongly does not even keep itself
        ConfigMap narcissus > ConfigMap echo: the reference names the object itself
        deleted (GC-22.13)
        remove the reference
        0: removed
      not where another one owns it
      not where its former self did
      not where it is a manifest without a uid"
    `);
  });
});

describe('ownership-cycle', () => {
  const foreground = '{deleting: true, finalizers: [foregroundDeletion]}';
  const seven = [0, 1, 2, 3, 4, 5, 6];
  test('finds these cases and no others', () => {
    expect(
      foundByReferences(
        ownershipCycle,
        seven.map((n) => `r${n} | ConfigMap ring-${n}`).join('\n'),
        `
    misnamed | r0 | {name: x}
    ${seven.map((n) => `r${n} | r${n}`).join('\n')}
    `,
        `
    two objects that own each other are never collected | r0 <- r1; r1 <- r0
    of a long ring only some members are named | ${seven.map((n) => `r${n} <- r${(n + 1) % 7}`).join('; ')}
    a ring whose members are all being deleted in the foreground, and block, never ends
        | r0 ${foreground} <- r1!; r1 ${foreground} <- r0!
    not where it is a chain         | r0 <- r1; r1
    not where it unwinds            | r0 <- r1; r1 {deleting: true} <- r0
    not where a wrong name breaks it | r0 <- r1; r1 <- misnamed
    not where none blocks           | r0 ${foreground} <- r1; r1 ${foreground} <- r0
    `,
      ),
    ).toMatchInlineSnapshot(`
      "two objects that own each other are never collected
        ConfigMap ring-0: 2 objects own each other, so none is ever deleted: v1 ConfigMap shop/ring-0, v1 ConfigMap shop/ring-1
        never-collected (GC-22.10)
        remove the reference that should not exist, which only its author knows, or delete one of them in the foreground, which deletes all: kubectl gc owners configmap/ring-0 -n shop
        ConfigMap ring-1: 2 objects own each other, so none is ever deleted: v1 ConfigMap shop/ring-0, v1 ConfigMap shop/ring-1
        never-collected (GC-22.10)
        remove the reference that should not exist, which only its author knows, or delete one of them in the foreground, which deletes all: kubectl gc owners configmap/ring-1 -n shop
      of a long ring only some members are named
        ConfigMap ring-0: 7 objects own each other, so none is ever deleted: v1 ConfigMap shop/ring-0, v1 ConfigMap shop/ring-1, v1 ConfigMap shop/ring-2, v1 ConfigMap shop/ring-3, v1 ConfigMap shop/ring-4 and 2 more
        never-collected (GC-22.10)
        remove the reference that should not exist, which only its author knows, or delete one of them in the foreground, which deletes all: kubectl gc owners configmap/ring-0 -n shop
        ConfigMap ring-1: 7 objects own each other, so none is ever deleted: v1 ConfigMap shop/ring-0, v1 ConfigMap shop/ring-1, v1 ConfigMap shop/ring-2, v1 ConfigMap shop/ring-3, v1 ConfigMap shop/ring-4 and 2 more
        never-collected (GC-22.10)
        remove the reference that should not exist, which only its author knows, or delete one of them in the foreground, which deletes all: kubectl gc owners configmap/ring-1 -n shop
        ConfigMap ring-2: 7 objects own each other, so none is ever deleted: v1 ConfigMap shop/ring-0, v1 ConfigMap shop/ring-1, v1 ConfigMap shop/ring-2, v1 ConfigMap shop/ring-3, v1 ConfigMap shop/ring-4 and 2 more
        never-collected (GC-22.10)
        remove the reference that should not exist, which only its author knows, or delete one of them in the foreground, which deletes all: kubectl gc owners configmap/ring-2 -n shop
        ConfigMap ring-3: 7 objects own each other, so none is ever deleted: v1 ConfigMap shop/ring-0, v1 ConfigMap shop/ring-1, v1 ConfigMap shop/ring-2, v1 ConfigMap shop/ring-3, v1 ConfigMap shop/ring-4 and 2 more
        never-collected (GC-22.10)
        remove the reference that should not exist, which only its author knows, or delete one of them in the foreground, which deletes all: kubectl gc owners configmap/ring-3 -n shop
        ConfigMap ring-4: 7 objects own each other, so none is ever deleted: v1 ConfigMap shop/ring-0, v1 ConfigMap shop/ring-1, v1 ConfigMap shop/ring-2, v1 ConfigMap shop/ring-3, v1 ConfigMap shop/ring-4 and 2 more
        never-collected (GC-22.10)
        remove the reference that should not exist, which only its author knows, or delete one of them in the foreground, which deletes all: kubectl gc owners configmap/ring-4 -n shop
        ConfigMap ring-5: 7 objects own each other, so none is ever deleted: v1 ConfigMap shop/ring-0, v1 ConfigMap shop/ring-1, v1 ConfigMap shop/ring-2, v1 ConfigMap shop/ring-3, v1 ConfigMap shop/ring-4 and 2 more
        never-collected (GC-22.10)
        remove the reference that should not exist, which only its author knows, or delete one of them in the foreground, which deletes all: kubectl gc owners configmap/ring-5 -n shop
        ConfigMap ring-6: 7 objects own each other, so none is ever deleted: v1 ConfigMap shop/ring-0, v1 ConfigMap shop/ring-1, v1 ConfigMap shop/ring-2, v1 ConfigMap shop/ring-3, v1 ConfigMap shop/ring-4 and 2 more
        never-collected (GC-22.10)
        remove the reference that should not exist, which only its author knows, or delete one of them in the foreground, which deletes all: kubectl gc owners configmap/ring-6 -n shop
      a ring whose members are all being deleted in the foreground, and block, never ends
        ConfigMap ring-0: 2 objects are being deleted in the foreground and each waits for another one: v1 ConfigMap shop/ring-0, v1 ConfigMap shop/ring-1
        blocks-foreground-deletion (GC-23)
        let one of them stop blocking, or delete it again with --cascade=background: kubectl gc why configmap/ring-0 -n shop --fix
        ConfigMap ring-1: 2 objects are being deleted in the foreground and each waits for another one: v1 ConfigMap shop/ring-0, v1 ConfigMap shop/ring-1
        blocks-foreground-deletion (GC-23)
        let one of them stop blocking, or delete it again with --cascade=background: kubectl gc why configmap/ring-1 -n shop --fix
      not where it is a chain
      not where it unwinds
      not where a wrong name breaks it
      not where none blocks"
    `);
  });
});

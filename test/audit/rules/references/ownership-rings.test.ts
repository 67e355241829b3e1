import { describe } from 'vitest';
import { ownershipCycle, selfOwner } from '../../../../src/audit/rules/ownership-rings.ts';
import { casesOfReferences } from '../../../support/findings.ts';

const stuck = 'blocks a foreground deletion for ever';

describe('self-owner', () => {
  const because = 'the reference names the object itself';
  const finding = `ConfigMap narcissus > ConfigMap narcissus: ${because}`;
  const misnamed = `ConfigMap narcissus > ConfigMap echo: ${because}`;
  const fix = 'remove the reference | 0: removed';
  const foreground = '{deleting: true, finalizers: [foregroundDeletion]}';
  casesOfReferences(
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
    an object that owns itself is kept by itself | self <- self | | ${finding} | never collected (GC-22.10) | ${fix}
    with blockOwnerDeletion it blocks its own deletion | self <- self! | | ${finding}
        | never collected, ${stuck} (GC-22.10) | ${fix}
    once that has begun, it never ends | self ${foreground} <- self! | | ${finding} | ${stuck} (GC-23) | ${fix}
    not even with a wrong name | self ${foreground} <- misnamed! | | ${misnamed} | ${stuck} (GC-23) | ${fix}
    one that does not block goes its way | self ${foreground} <- self | | ${finding} | already being deleted (GC-23) | ${fix}
    so does one that has another finalizer | self {deleting: true, finalizers: [shop.example.com/drain]} <- self |
        | ${finding} | already being deleted (GC-22.1) | ${fix}
    one that names itself wrongly does not even keep itself | self <- misnamed | | ${misnamed}
        | deleted on the next pass (GC-22.13) | ${fix}
    not where another one owns it   | self <- echo; echo
    not where its former self did   | self <- former
    not where it is a manifest without a uid | draft <- draft
    `,
  );
});

describe('ownership-cycle', () => {
  const members = (...numbers: number[]) =>
    numbers.map((number) => `v1 ConfigMap shop/ring-${number}`).join(', ');
  const both = (because: string, end: string, fix: (member: string) => string) =>
    [0, 1]
      .map(
        (n) => `ConfigMap ring-${n}: ${because} | ${end} | ${fix(`configmap/ring-${n} -n shop`)}`,
      )
      .join(' | ');
  const which =
    'remove the reference that should not exist, which only its author knows, or delete one of them in the foreground, which deletes all';
  const owners = (member: string) => `${which}: kubectl gc owners ${member}`;
  const alive = both(
    `2 objects keep each other alive: ${members(0, 1)}`,
    'never collected (GC-22.10)',
    owners,
  );
  const waiting = both(
    `2 objects are being deleted in the foreground and each waits for another one: ${members(0, 1)}`,
    `${stuck} (GC-23)`,
    (member) =>
      `let one of them stop blocking, or delete it again with --cascade=background: kubectl gc why ${member} --fix`,
  );
  const foreground = '{deleting: true, finalizers: [foregroundDeletion]}';
  const seven = [0, 1, 2, 3, 4, 5, 6];
  casesOfReferences(
    ownershipCycle,
    seven.map((n) => `r${n} | ConfigMap ring-${n}`).join('\n'),
    `
    misnamed | r0 | {name: x}
    ${seven.map((n) => `r${n} | r${n}`).join('\n')}
    `,
    `
    two objects that own each other are never collected | r0 <- r1; r1 <- r0 | | ${alive}
    of a long ring only some members are named | ${seven.map((n) => `r${n} <- r${(n + 1) % 7}`).join('; ')} |
        | ${seven
          .map(
            (n) =>
              `ConfigMap ring-${n}: 7 objects keep each other alive: ${members(0, 1, 2, 3, 4)} and 2 more | never collected (GC-22.10) | ${owners(`configmap/ring-${n} -n shop`)}`,
          )
          .join(' | ')}
    a ring whose members are all being deleted in the foreground, and block, never ends
        | r0 ${foreground} <- r1!; r1 ${foreground} <- r0! | | ${waiting}
    not where it is a chain         | r0 <- r1; r1
    not where it unwinds            | r0 <- r1; r1 {deleting: true} <- r0
    not where a wrong name breaks it | r0 <- r1; r1 <- misnamed
    not where none blocks           | r0 ${foreground} <- r1; r1 ${foreground} <- r0
    `,
  );
});

import { describe, expect, test } from 'vitest';
import { fixPatches } from '../../src/audit/fixes.ts';
import { findInvalidReferences } from '../../src/audit/invalid-references.ts';
import { withChoice } from '../../src/audit/rules/gone-owner.ts';
import { type OwnerChoice, ownerChoices } from '../../src/audit/rules/reference-findings.ts';
import type { ObjectRecord } from '../../src/kube/object-record.ts';
import { ResourceTypes } from '../../src/kube/resource-types.ts';
import {
  configMap,
  customType,
  graphOf,
  objectOfType,
  ownedBy,
  ownedByGone,
  pod,
  replicaSet,
  servedTypes,
} from '../support/builders.ts';

const web = replicaSet('web');
const stale = ownedBy(web, { uid: 'uid-of-the-first' });
const ownReplicaSets = customType('replicasets.web.example.com/v1 ReplicaSet');
const types = new ResourceTypes([...servedTypes.all, ownReplicaSets], { exhaustive: true });
const gone = ownedByGone('apps/v1 ReplicaSet gone');

/** The references that each choice leaves an object with; `as it is` where nothing is sent. */
function ends(records: readonly ObjectRecord[], choices = [...ownerChoices, undefined]) {
  const findings = findInvalidReferences(graphOf(records, { types }));
  return choices.map((choice: OwnerChoice | undefined) => {
    const patches = fixPatches(findings.map((finding) => withChoice(finding, choice)));
    const last = patches[0]?.patch.at(-1);
    if (!last) return 'as it is';
    const left = (last.value ?? []) as { kind: string; name: string; uid: string }[];
    return left.map(({ kind, name, uid }) => `${kind} ${name} ${uid}`).join(', ') || 'no owner';
  });
}

describe('of an object whose owner does not exist', () => {
  const settings = configMap('settings', { ownerReferences: [gone] });
  const frozen = ownedByGone('a.example.com/v1 A a');
  const both = configMap('settings', { ownerReferences: [gone, frozen] });
  const replica = pod('web-1', { ownerReferences: [stale] });
  const linked = `ReplicaSet web ${web.uid}`;
  const other = objectOfType(ownReplicaSets, 'gone');
  // The first two choices leave it as it is, and without an owner.
  test.each([
    ['only keep edits it', [settings], 'as it is', 'as it is'],
    ['relink to a namesake', [replica, web], linked, linked],
    [
      'a terminating namesake',
      [replica, replicaSet('web', { deleting: 'background' })],
      'as it is',
      'as it is',
    ],
    ['a namesake of another group', [settings, other], `ReplicaSet gone ${other.uid}`, 'as it is'],
    ['no other fix interferes', [both], 'as it is', 'as it is'],
  ])('%s', (_, records, ...rest) => {
    expect(ends(records)).toEqual(['as it is', 'no owner', ...rest]);
  });

  test('a fix that gives it an owner that lives is made', () => {
    const record = configMap('settings', {
      ownerReferences: [gone, ownedBy(web, { name: 'web-v1' })],
    });
    const named = `ReplicaSet gone ${gone.uid}, ReplicaSet web ${web.uid}`;
    expect(ends([record, web], ['let-go', 'keep'])).toEqual([named, `ReplicaSet web ${web.uid}`]);
  });
});

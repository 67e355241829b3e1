import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fixPatches } from '../../src/audit/fixes.ts';
import { findInvalidReferences } from '../../src/audit/invalid-references.ts';
import type { ReferenceFinding } from '../../src/audit/rules/reference-findings.ts';
import { judge } from '../../src/controllers/garbage-collector/judge.ts';
import type { OwnerReference } from '../../src/kube/object-record.ts';
import { recordOf } from '../../src/kube/record-codec.ts';
import { buildGraph } from '../../src/snapshot/graph/graph.ts';
import type { Snapshot } from '../../src/snapshot/snapshot.ts';
import { anySnapshot } from '../support/any-snapshot.ts';

/** The snapshot after all patches were applied. */
function mended(snapshot: Snapshot, findings: readonly ReferenceFinding[]): Snapshot {
  const patched = new Map(
    fixPatches(findings).map(({ record, patch }) => {
      const ownerReferences = patch.find(({ op }) => op === 'replace')?.value ?? [];
      return [record, recordOf({ metadata: { ownerReferences } }, record.type).ownerReferences];
    }),
  );
  const records = snapshot.records.map((record) => {
    const ownerReferences = patched.get(record);
    return ownerReferences ? { ...record, ownerReferences } : record;
  });
  return { ...snapshot, records };
}

function found(snapshot: Snapshot): ReferenceFinding[] {
  return findInvalidReferences(buildGraph(snapshot));
}

const runs = { numRuns: 500 };

test('fixed references are not found again in any cluster, and fixing ends', () => {
  fc.assert(
    fc.property(anySnapshot(), (snapshot) => {
      let before = snapshot;
      let rounds = 0;
      for (
        let findings = found(before);
        findings.some(hasPatch(findings));
        findings = found(before)
      ) {
        const after = mended(before, findings);
        const next = found(after);
        const again = new Set(next.filter(hasPatch(next)).map(keyOf));
        expect(
          findings
            .filter(hasPatch(findings))
            .map(keyOf)
            .filter((key) => again.has(key)),
        ).toEqual([]);
        before = after;
        rounds += 1;
        expect(rounds).toBeLessThanOrEqual(2);
      }
    }),
    runs,
  );
});

test('a patch makes the collector delete only what has an owner that is being deleted', () => {
  fc.assert(
    fc.property(anySnapshot(), (snapshot) => {
      const before = buildGraph(snapshot);
      const findings = found(snapshot);
      const after = buildGraph(mended(snapshot, findings));
      const killed = fixPatches(findings).filter(({ record }) => {
        const now = after.withUid(record.uid);
        const verdict = now && judge(after, now);
        return (
          judge(before, record).action !== 'delete' &&
          verdict?.action === 'delete' &&
          verdict.references.every((reference) => reference.class !== 'waiting')
        );
      });
      expect(killed.map(({ record }) => record.ownerReferences)).toEqual([]);
    }),
    runs,
  );
});

/** Is it mended? What is let go is left as it is. */
function hasPatch(findings: readonly ReferenceFinding[]): (finding: ReferenceFinding) => boolean {
  const patched = new Set(fixPatches(findings).map(({ record }) => record));
  return ({ fix, object }) => fix.edits.length > 0 && patched.has(object);
}

/** Tells findings apart by class, object and the reference as it stands. */
function keyOf({ rule, object, reference }: ReferenceFinding): string {
  return [rule, object.uid, ...(reference ? partsOf(reference) : [])].join(' ');
}

function partsOf({ apiVersion, kind, name, uid }: OwnerReference): string[] {
  return [apiVersion, kind, name, uid];
}

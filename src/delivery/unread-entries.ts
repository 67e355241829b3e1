import type { ObjectRecord } from '../kube/object-record.ts';
import { fullNameOf } from '../kube/object-reference.ts';
import { groupResourceOf, printedKindOf } from '../kube/resource-type.ts';
import { type CoverageProblem, coverageIndexOf } from '../snapshot/coverage.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import type { Entry } from './tool.ts';
import { inventoryOf, toolOf, verbOfTool } from './tools.ts';

/** The parts of the inventories of these objects that are unknown: a whole inventory, or kinds whose entries were not read. */
export function unreadEntries(
  { types, coverage, origin }: Pick<Snapshot, 'types' | 'coverage' | 'origin'>,
  records: readonly ObjectRecord[],
): CoverageProblem[] {
  const index = coverageIndexOf(coverage);
  const told = new Set(coverage.problems.map(({ resource }) => resource));
  const problems: CoverageProblem[] = [];
  for (const record of records) {
    const inventory = inventoryOf(record);
    if (!inventory) continue;
    if (inventory === 'unknown') {
      const { versions: known = [] } = toolOf(record) ?? {};
      const because = record.facts
        ? `its version ${record.type.version} is none of ${known.join(', ')}`
        : 'its spec and status were not read';
      const message = `what ${fullNameOf(record)} ${verbOfTool(record)} is not known: ${because}`;
      problems.push({ reason: 'unreadable', message, resource: groupResourceOf(record.type) });
      continue;
    }
    if (inventory.keepsAllBecause !== '' || inventory.cluster !== undefined) continue;
    for (const { group, kind, namespace, name } of inventory.entries) {
      const type = types.ofKind(group, kind);
      if (!type && types.exhaustive) continue;
      if (type && index.covers(type, type.namespaced ? namespace : '', name)) continue;
      const resource = type ? groupResourceOf(type) : printedKindOf({ group, kind });
      if (told.has(resource)) continue;
      told.add(resource);
      const what =
        origin.kind === 'files' ? `the input has no ${resource}` : `${resource} were not read`;
      problems.push({
        reason: origin.kind === 'files' ? 'not-in-input' : 'unavailable',
        message: `${what}, and ${fullNameOf(record)} ${verbOfTool(record)} some`,
        resource,
      });
    }
  }
  return problems;
}

/** Was the object read that is there, or would it have been? Of an Application, the namespace may not be known. */
export function isToolRead({
  types,
  coverage,
}: Pick<Snapshot, 'types' | 'coverage'>): (by: Entry) => boolean {
  const index = coverageIndexOf(coverage);
  return ({ group, kind, namespace, name }) => {
    const type = types.ofKind(group, kind);
    return type ? index.covers(type, namespace, name) : types.exhaustive;
  };
}

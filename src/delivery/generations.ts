import type { ObjectRecord } from '../kube/object-record.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { generatedFrom } from './generation-names.ts';
import { isData, type Mention, type Mentions, searchIn } from './mentions.ts';
import { appliedBy } from './tools.ts';

/*
 * Generations of kustomize (api v0.20.1, hasher.go: encode; configMapGenerator and secretGenerator): each content has its own
 * name, and nothing deletes earlier generations:
 *
 * | read | by it |
 * | --- | --- |
 * | name NAME-HASH, ten of the characters that kustomize uses | a generation of NAME, where there are others of it |
 * | every text of every other object beside its metadata | which generation it names, whatever its kind |
 * | ReplicaSets without replicas, ControllerRevisions | generations that only these name are kept for a rollback |
 *
 * The data of ConfigMaps and Secrets is not searched, as it is never read.
 */

/** A generation that no living object names, or of which that is not known. */
export interface Generation {
  readonly owners: 'old-generation' | 'unknown';
  /** The evidence, in words. */
  readonly because: string;
}

/** Asked of an object: whether it is such a generation. */
export function generationsIn(
  snapshot: Snapshot,
  mentions: Mentions,
): (record: ObjectRecord) => Generation | undefined {
  const families = Map.groupBy(
    snapshot.records.filter(
      (record) => isData(record.type) && record.ownerReferences.length === 0 && !appliedBy(record),
    ),
    familyOf,
  );
  const search = searchIn(snapshot, mentions);
  return (record) => {
    const family = families.get(familyOf(record)) ?? [];
    const base = generatedFrom(record.name);
    if (base === undefined || family.length < 2 || !family.includes(record)) return undefined;
    const found = mentions.of(record);
    if (found.some((one) => !one.isHistory)) return undefined;
    const made = `kustomize made it as one of ${family.length} generations of ${base}`;
    const gap = search.gapIn(record.namespace);
    if (gap !== undefined) {
      const because = `${made}; whether something names it is not known: ${gap}`;
      return { owners: 'unknown', because };
    }
    const lives = family.flatMap((other) => {
      const current = mentions.of(other).find((one) => !one.isHistory);
      return current ? [`${nameOf(current)} names ${other.name}`] : [];
    });
    const [past] = found;
    const self = past
      ? `only ${nameOf(past)} names this one, for a rollback`
      : `nothing in its namespace, or in none, names this one (${search.kinds} kinds were searched)`;
    return { owners: 'old-generation', because: [made, ...lives, self].join('; ') };
  };
}

function nameOf({ by }: Mention): string {
  return `${by.kind} ${by.name}`;
}

function familyOf({ type, namespace, name }: ObjectRecord): string {
  return `${type.kind} ${namespace}/${generatedFrom(name) ?? ` ${name}`}`;
}

import { configMapType, secretType } from '../kube/core-types.ts';
import { fieldAt, type Json } from '../kube/json-value.ts';
import type { ObjectRecord } from '../kube/object-record.ts';
import { pushTo } from '../kube/push-to.ts';
import { groupResourceOf, type ResourceType } from '../kube/resource-type.ts';
import { coverageIndexOf } from '../snapshot/coverage.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
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

const hashed = /^(.+)-[2456789bcdfghkmt]{10}$/;
const words = /[a-z0-9.-]+/g;
const hash = /^-[2456789bcdfghkmt]{10}$/;

/** The longest part of a word that is the name of a generation: a hash is followed by a dot or nothing. */
function generationIn(word: string): string[] {
  const start = word.search(/[a-z0-9]/);
  for (let end = word.length; end > start; end = word.lastIndexOf('.', end - 1)) {
    const at = end - '-2456789bcd'.length;
    if (at > start && hash.test(word.slice(at, end))) return [word.slice(start, end)];
  }
  return [];
}

/** An object that names another. */
interface Mention {
  /** `Deployment web`. */
  readonly who: string;
  /** Only a rollback would make it refer to the other object again. */
  readonly isHistory: boolean;
}

/** The names of generations in whole objects; nothing else of these is kept. */
export class Mentions {
  readonly #byName = new Map<string, Mention[]>();
  /** Kinds of which something could not be searched. */
  readonly unread = new Set<string>();
  /** Kinds that were searched apart, beside what was read for the answer. */
  readonly searched = new Set<string>();
  /** The callbacks of a reader of files for whole objects, and for saved ones, which do not keep such names. */
  readonly listeners = {
    onObject: (object: Json, record: ObjectRecord) => this.add(object, record),
    onSavedSnapshot: () => {
      this.isSaved = true;
    },
  };
  isSaved = false;

  /** Searches an object as it was read. */
  add(object: Json, record: ObjectRecord): void {
    const { type, namespace, name } = record;
    if (isGenerated(type)) return;
    const { apiVersion, kind, metadata, ...rest } = object;
    if (Object.keys(rest).length === 0 && holdsTemplate.has(groupResourceOf(type)))
      this.unread.add(groupResourceOf(type));
    const mention = { who: `${type.kind} ${name}`, isHistory: isHistory(object, record) };
    for (const found of new Set(JSON.stringify(rest).match(words)?.flatMap(generationIn))) {
      pushTo(this.#byName, `${namespace}/${found}`, mention);
    }
  }

  /** What names it, in its namespace or in none. */
  of({ namespace, name }: ObjectRecord): readonly Mention[] {
    return [namespace, ''].flatMap((home) => this.#byName.get(`${home}/${name}`) ?? []);
  }
}

const holdsTemplate: ReadonlySet<string> = new Set([
  'cronjobs.batch',
  'daemonsets.apps',
  'deployments.apps',
  'jobs.batch',
  'pods',
  'replicasets.apps',
  'replicationcontrollers',
  'statefulsets.apps',
]);

function isHistory(object: Json, { type, ownerReferences }: ObjectRecord): boolean {
  if (type.kind === 'ControllerRevision') return true;
  const isScaledDown = fieldAt(object, 'spec.replicas') === 0;
  return type.kind === 'ReplicaSet' && ownerReferences.length > 0 && isScaledDown;
}

/** Kinds that cannot be listed are not stored, and contain no names. */
export function isSearched(type: ResourceType): boolean {
  return type.verbs.includes('list') && !isGenerated(type);
}

function isGenerated({ group, kind }: ResourceType): boolean {
  return group === '' && (kind === configMapType.kind || kind === secretType.kind);
}

/** A generation that no living object names, or of which that is not known. */
export interface Generation {
  readonly owners: 'old-generation' | 'unknown';
  /** The evidence, in words. */
  readonly because: string;
}

/** Asked of an object: whether it is such a generation. */
export function generationsIn(
  { records, types, coverage }: Snapshot,
  mentions: Mentions,
): (record: ObjectRecord) => Generation | undefined {
  const families = Map.groupBy(
    records.filter(
      (record) =>
        isGenerated(record.type) && record.ownerReferences.length === 0 && !appliedBy(record),
    ),
    familyOf,
  );
  const index = coverageIndexOf(coverage);
  const searched = types.preferred().filter(isSearched);
  const unreadIn = (namespace: string) =>
    searched.find(
      (type) =>
        mentions.unread.has(groupResourceOf(type)) ||
        (!mentions.searched.has(groupResourceOf(type)) &&
          !index.coversKind(type, type.namespaced ? namespace : '')),
    );
  return (record) => {
    const family = families.get(familyOf(record)) ?? [];
    const base = hashed.exec(record.name)?.[1];
    if (base === undefined || family.length < 2 || !family.includes(record)) return undefined;
    const found = mentions.of(record);
    if (found.some((one) => !one.isHistory)) return undefined;
    const made = `kustomize made it as one of ${family.length} generations of ${base}`;
    const unread = unreadIn(record.namespace);
    if (unread || mentions.isSaved || !types.exhaustive) {
      const what = mentions.isSaved
        ? 'a saved snapshot does not keep such names'
        : unread
          ? `${groupResourceOf(unread)} were not read`
          : 'the input may lack kinds';
      return {
        owners: 'unknown',
        because: `${made}; whether something names it is not known: ${what}`,
      };
    }
    const lives = family.flatMap((other) => {
      const by = mentions.of(other).find((one) => !one.isHistory);
      return by ? [`${by.who} names ${other.name}`] : [];
    });
    const [past] = found;
    const self = past
      ? `only ${past.who} names this one, for a rollback`
      : `nothing in its namespace, or in none, names this one (${searched.length} kinds were searched)`;
    return { owners: 'old-generation', because: [made, ...lives, self].join('; ') };
  };
}

function familyOf({ type, namespace, name }: ObjectRecord): string {
  return `${type.kind} ${namespace}/${hashed.exec(name)?.[1] ?? ` ${name}`}`;
}

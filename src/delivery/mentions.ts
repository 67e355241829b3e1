import { configMapType, secretType } from '../kube/core-types.ts';
import { fieldAt, fieldsOf, type Json, pushTo } from '../kube/json-value.ts';
import type { ObjectRecord } from '../kube/object-record.ts';
import { type ObjectReference, referenceTo } from '../kube/object-reference.ts';
import { kindsOfPods, type UsedKind, usedClasses } from '../kube/pod-references.ts';
import { groupResourceOf, isMonitored, type ResourceType } from '../kube/resource-type.ts';
import { coverageIndexOf } from '../snapshot/coverage.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { generationNamesIn } from './generation-names.ts';
import { referencesIn, referencesInAnnotations } from './named-references.ts';

/** An object that names another. */
export interface Mention {
  readonly by: ObjectReference;
  /** The uids of its owners: a Pod names what its ReplicaSet names. */
  readonly owners: readonly string[];
  /** Only a rollback would make it refer to the other object again. */
  readonly isHistory: boolean;
  readonly isMounted: boolean;
  /** It does without the other. */
  readonly isOptional?: boolean;
  /** It has what it needs of the other: a volume, and a claim that is bound to one, of their class. */
  readonly isSettled?: boolean;
}

/** The names of claims, ConfigMaps, Secrets and the like in whole objects; nothing else of these is kept. */
export class Mentions {
  readonly #generations = new Map<string, Mention[]>();
  readonly #references = new Map<string, Mention[]>();
  /** StatefulSets, by namespace: their claims have names that stand nowhere else. */
  readonly sets = new Map<string, ObjectRecord[]>();
  /** RoleBindings and ClusterRoleBindings, by uid. */
  readonly bindings = new Map<string, ObjectRecord>();
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
    const { type, namespace } = record;
    if (isData(type)) return;
    const { apiVersion, kind, metadata, status, ...rest } = object;
    if (Object.keys(rest).length === 0 && kindsOfPods.has(groupResourceOf(type)))
      this.unread.add(groupResourceOf(type));
    if (record.facts?.volumeClaimTemplates) pushTo(this.sets, namespace, record);
    if (record.facts?.subjects) this.bindings.set(record.uid, record);
    const mention = mentionOf(object, record);
    for (const name of generationNamesIn({ ...rest, status })) {
      pushTo(this.#generations, `${namespace}/${name}`, mention);
    }
    // An Event and a report name what they are about.
    if (!isMonitored(type) || type.kind.endsWith('Report')) return;
    const named = [
      ...referencesIn(rest),
      ...referencesInAnnotations(fieldsOf(fieldsOf(metadata).annotations)),
    ];
    for (const { isMounted, isOptional = false, ...one } of named) {
      const home = usedClasses.has(one.kind) ? '' : (one.namespace ?? namespace);
      const key = `${one.kind} ${home}/${one.name}`;
      pushTo(this.#references, key, { ...mention, isMounted, isOptional });
    }
  }

  /** What contains the name of a generation, in its namespace or in none. */
  of({ namespace, name }: ObjectRecord): readonly Mention[] {
    return [namespace, ''].flatMap((place) => this.#generations.get(`${place}/${name}`) ?? []);
  }

  /** What refers to an object in a field for its kind. */
  referringTo(kind: UsedKind, { namespace, name }: ObjectRecord): readonly Mention[] {
    return this.#references.get(`${kind} ${namespace}/${name}`) ?? [];
  }
}

function mentionOf(object: Json, record: ObjectRecord): Mention {
  return {
    by: referenceTo(record),
    owners: record.ownerReferences.map(({ uid }) => uid),
    isHistory: isHistoryOf(record, fieldAt(object, 'spec.replicas')),
    isMounted: false,
  };
}

/** Does only a rollback make its references count again? */
export function isHistoryOf({ type, ownerReferences }: ObjectRecord, replicas: unknown): boolean {
  if (type.kind === 'ControllerRevision') return true;
  return type.kind === 'ReplicaSet' && ownerReferences.length > 0 && replicas === 0;
}

/** Kinds that cannot be listed or deleted are not stored: what they contain is computed from other objects. */
export function isSearched(type: ResourceType): boolean {
  return ['list', 'delete'].every((verb) => type.verbs.includes(verb)) && !isData(type);
}

/** The data of these is never read, so nothing in it is searched. */
export function isData({ group, kind }: ResourceType): boolean {
  return group === '' && (kind === configMapType.kind || kind === secretType.kind);
}

/** Whether everything was searched that may name an object of a namespace. */
export function searchIn({ types, coverage }: Snapshot, mentions: Mentions) {
  const index = coverageIndexOf(coverage);
  const searched = types.preferred().filter(isSearched);
  return {
    kinds: searched.length,
    /** What was not searched, in words; undefined where all was. */
    gapIn(namespace: string): string | undefined {
      if (mentions.isSaved) return 'a saved snapshot does not keep such names';
      const unread = searched.find(
        (type) =>
          mentions.unread.has(groupResourceOf(type)) ||
          (!mentions.searched.has(groupResourceOf(type)) &&
            !index.coversKind(type, type.namespaced ? namespace : '')),
      );
      if (unread) return `${groupResourceOf(unread)} were not read`;
      return types.exhaustive ? undefined : 'the input may lack kinds';
    },
  };
}

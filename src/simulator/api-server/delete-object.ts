import type { PropagationPolicy } from '../../controllers/garbage-collector/judge.ts';
import { CRD_CLEANUP, FOREGROUND, type ObjectRecord, ORPHAN } from '../../kube/object-record.ts';
import { knownNodeOf } from '../../kube/pod-use.ts';
import { groupResourceOf, isEventType, type ResourceType } from '../../kube/resource-type.ts';
import { timestampOf } from '../../kube/time.ts';
import {
  gracePeriodOf,
  isCustomResourceDefinition,
  isNamespace,
  isPod,
  isPodTerminal,
  specFinalizersOf,
} from '../../kube/well-known-kinds.ts';
import { type ApiServer, refusal, type Written } from './api-server.ts';
import { accepted, type DeleteOptions } from './request.ts';

/** What the API server does with a DELETE of one object: rest.BeforeDelete and Store.Delete (GC-50 to GC-66). */
export function deleteObject(
  api: ApiServer,
  record: ObjectRecord,
  options: DeleteOptions,
): Written {
  const refused = forbids(record) ?? denies(api, record) ?? conflicts(record, options);
  if (refused) return refused;
  if (record.deletionTimestamp === undefined) {
    if (isNamespace(record)) return terminateNamespace(api, record, options);
    if (isCustomResourceDefinition(record)) return terminateDefinition(api, record, options);
  } else if (isNamespace(record) && specFinalizersOf(record).length > 0) {
    return unchanged(record, 'GC-70');
  }
  const grace = gracefulDeletion(record, options, api.now());
  if (grace === 'pending') return unchanged(record, 'GC-60');
  const finalizers =
    api.collectsGarbage === false ? record.finalizers : deletionFinalizers(record, options);
  if (finalizers.length === 0 && (grace?.deletionGracePeriodSeconds ?? 0) === 0) {
    if (!options.dryRun) api.state.remove(record);
    return { reply: accepted, result: 'removed', after: undefined, rule: 'GC-61' };
  }
  const marked = grace ? { ...record, ...grace, finalizers } : asDeleting(api, record, finalizers);
  const rule = grace && finalizers.length === 0 ? 'GC-60' : finalizerRule(finalizers);
  if (sameMetadata(record, marked)) return unchanged(record, rule);
  const after = options.dryRun ? record : api.state.update(record, marked);
  return { reply: accepted, result: 'terminating', after, rule };
}

/** DELETECOLLECTION: one DELETE after another, each with the same options (GC-65). */
export function deleteCollection(
  api: ApiServer,
  records: readonly ObjectRecord[],
  options: DeleteOptions,
): { readonly record: ObjectRecord; readonly written: Written }[] {
  const done: { record: ObjectRecord; written: Written }[] = [];
  for (const record of records) {
    const written = deleteObject(api, record, options);
    done.push({ record, written });
    if (written.result === 'refused') break;
  }
  return done;
}

const systemPriorityClasses = new Set(['system-node-critical', 'system-cluster-critical']);
const immortalNamespaces = new Set(['default', 'kube-system', 'kube-public']);

function denies({ state }: ApiServer, { uid }: ObjectRecord): Written | undefined {
  const refused = state.refused.get(uid);
  if (!refused || (refused.configuration && !state.current(refused.configuration)))
    return undefined;
  return refusal(500, 'InternalError', refused.because, 'GC-43');
}

function forbids(record: ObjectRecord): Written | undefined {
  const { type, name } = record;
  if (type.group === 'scheduling.k8s.io' && systemPriorityClasses.has(name)) {
    const why = 'this is a system priority class and cannot be deleted';
    const message = `${groupResourceOf(type)} "${name}" is forbidden: ${why}`;
    return refusal(403, 'Forbidden', message, 'GC-66');
  }
  if (isNamespace(record) && immortalNamespaces.has(name)) {
    const why = 'this namespace may not be deleted';
    return refusal(403, 'Forbidden', `namespaces "${name}" is forbidden: ${why}`, 'GC-66');
  }
  return undefined;
}

function conflicts(record: ObjectRecord, { preconditions }: DeleteOptions): Written | undefined {
  const { uid, resourceVersion } = preconditions ?? {};
  const failed = (what: string, given: string, stored: string, why: string) =>
    refusal(
      409,
      'Conflict',
      `Operation cannot be fulfilled on ${kindOf(record)} "${record.name}": the ${what} in the precondition (${given}) does not match the ${what} in record (${stored}). ${why}`,
    );
  if (uid !== undefined && uid !== record.uid) {
    const why = 'The object might have been deleted and then recreated';
    return failed('UID', uid, record.uid, why);
  }
  if (resourceVersion !== undefined && resourceVersion !== record.resourceVersion) {
    const why = 'The object might have been modified';
    return failed('ResourceVersion', resourceVersion, record.resourceVersion ?? '', why);
  }
  return undefined;
}

/** This message, unlike all others, has the kind where the resource should be. */
function kindOf({ type: { kind, group } }: ObjectRecord): string {
  return group === '' ? kind : `${kind}.${group}`;
}

interface Grace {
  readonly deletionTimestamp: string;
  readonly deletionGracePeriodSeconds: number;
}

/** Only pods are deleted gracefully. Mirrors rest.BeforeDelete and podStrategy.CheckGracefulDelete (GC-60). */
function gracefulDeletion(
  record: ObjectRecord,
  { gracePeriodSeconds }: DeleteOptions,
  now: number,
): Grace | 'pending' | undefined {
  if (!isPod(record)) return undefined;
  const requested =
    gracePeriodSeconds !== undefined && gracePeriodSeconds < 0 ? 1 : gracePeriodSeconds;
  if (record.deletionTimestamp === undefined) {
    // A pod whose nodeName was not read is simulated as one without a Node; the caller reports
    // this.
    const atOnce = knownNodeOf(record) === undefined || isPodTerminal(record);
    const wanted = atOnce ? 0 : (requested ?? gracePeriodOf(record));
    const seconds = wanted < 0 ? 1 : wanted;
    return {
      deletionTimestamp: timestampOf(now + seconds * 1000),
      deletionGracePeriodSeconds: seconds,
    };
  }
  const stored = record.deletionGracePeriodSeconds ?? 0;
  const remaining = stored < 0 ? 1 : stored;
  if (remaining === 0) return undefined;
  if (requested === undefined || requested >= remaining) return 'pending';
  const moved = Date.parse(record.deletionTimestamp) + (requested - remaining) * 1000;
  if (moved >= now) {
    return { deletionTimestamp: timestampOf(moved), deletionGracePeriodSeconds: requested };
  }
  return {
    deletionTimestamp: timestampOf(now),
    deletionGracePeriodSeconds: requested === 0 ? 0 : 1,
  };
}

/** Mirrors markAsDeleting: an earlier deletionTimestamp stays (GC-61). */
function asDeleting(
  api: ApiServer,
  record: ObjectRecord,
  finalizers: readonly string[],
): ObjectRecord {
  const before = record.deletionTimestamp;
  const earlier = before !== undefined && Date.parse(before) <= api.now();
  return {
    ...record,
    finalizers,
    deletionTimestamp: earlier ? before : timestampOf(api.now()),
    deletionGracePeriodSeconds: 0,
  };
}

/** The first DELETE of a Namespace, which treats orphanDependents=false in its own way (GC-70). */
function terminateNamespace(
  api: ApiServer,
  record: ObjectRecord,
  { propagationPolicy: policy, orphanDependents, dryRun }: DeleteOptions,
): Written {
  const has = (finalizer: string, wanted: boolean | undefined, chosen: boolean) =>
    wanted ?? (policy === undefined ? record.finalizers.includes(finalizer) : chosen);
  const orphan = has(ORPHAN, orphanDependents, policy === 'Orphan');
  const foreground = has(
    FOREGROUND,
    orphanDependents === undefined ? undefined : !orphanDependents,
    policy === 'Foreground',
  );
  const custom = record.finalizers.filter((name) => name !== ORPHAN && name !== FOREGROUND);
  const finalizers = [...custom, ...(orphan ? [ORPHAN] : []), ...(foreground ? [FOREGROUND] : [])];
  const marked = {
    ...record,
    finalizers,
    deletionTimestamp: timestampOf(api.now()),
    facts: { ...record.facts, phase: 'Terminating' },
  };
  const after = dryRun ? record : api.state.update(record, marked);
  return { reply: accepted, result: 'terminating', after, rule: 'GC-70' };
}

/** The first DELETE of a CustomResourceDefinition, whatever its policy (GC-66). */
function terminateDefinition(
  api: ApiServer,
  record: ObjectRecord,
  { dryRun }: DeleteOptions,
): Written {
  const finalizers = record.finalizers.includes(CRD_CLEANUP)
    ? record.finalizers
    : [...record.finalizers, CRD_CLEANUP];
  const deletionTimestamp = timestampOf(api.now());
  const marked = { ...record, finalizers, deletionTimestamp };
  const after = dryRun ? record : api.state.update(record, marked);
  return { reply: accepted, result: 'terminating', after, rule: 'GC-66' };
}

function finalizerRule(finalizers: readonly string[]): string {
  return finalizers.includes(ORPHAN) || finalizers.includes(FOREGROUND) ? 'GC-57' : 'GC-61';
}

function unchanged(record: ObjectRecord, rule: string): Written {
  return { reply: accepted, result: 'unchanged', after: record, rule };
}

/** The store writes nothing when nothing differs. */
function sameMetadata(a: ObjectRecord, b: ObjectRecord): boolean {
  return (
    a.deletionTimestamp === b.deletionTimestamp &&
    a.deletionGracePeriodSeconds === b.deletionGracePeriodSeconds &&
    a.finalizers === b.finalizers
  );
}

/**
 * The finalizers that a DELETE leaves on an object: custom ones as they are, of `orphan` and
 * `foregroundDeletion` at most one, at the end. The same list when the set does not change.
 * Mirrors deletionFinalizersForGarbageCollection, registry/generic/registry/store.go (GC-57).
 */
function deletionFinalizers(record: ObjectRecord, options: DeleteOptions): readonly string[] {
  const winner = winningFinalizer(record, options);
  if (winner === undefined && record.finalizers.length === 0) return record.finalizers;
  const custom = record.finalizers.filter((name) => name !== ORPHAN && name !== FOREGROUND);
  const wanted = winner === undefined ? custom : [...custom, winner];
  const before = new Set(record.finalizers);
  const same = new Set(wanted).size === before.size && wanted.every((name) => before.has(name));
  return same ? record.finalizers : wanted;
}

/** The propagation policy by which a DELETE with these options is served (GC-55, GC-57). */
export function effectivePolicy(record: ObjectRecord, options: DeleteOptions): PropagationPolicy {
  const winner = winningFinalizer(record, options);
  if (winner === ORPHAN) return 'Orphan';
  return winner === FOREGROUND ? 'Foreground' : 'Background';
}

function winningFinalizer(record: ObjectRecord, options: DeleteOptions): string | undefined {
  if (isEventType(record.type)) return undefined;
  if (options.orphanDependents !== undefined) return options.orphanDependents ? ORPHAN : undefined;
  switch (options.propagationPolicy) {
    case 'Orphan':
      return ORPHAN;
    case 'Foreground':
      return FOREGROUND;
    case 'Background':
      return undefined;
    default: {
      const present = record.finalizers.find((name) => name === ORPHAN || name === FOREGROUND);
      return present ?? (orphansByDefault(record.type) ? ORPHAN : undefined);
    }
  }
}

/** The two kinds whose dependents survive a DELETE that says nothing about them (GC-55). */
function orphansByDefault({ group, version, kind }: ResourceType): boolean {
  if (version !== 'v1') return false;
  return (
    (group === '' && kind === 'ReplicationController') || (group === 'batch' && kind === 'Job')
  );
}

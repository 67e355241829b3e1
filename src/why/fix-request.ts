import { apiPath, objectPath } from '../cluster/api-path.ts';
import { inNamespace, type ShellCommand, shellCommand } from '../command-line/shell-command.ts';
import { selectorOfName } from '../kube/names.ts';
import type { ObjectRecord } from '../kube/object-record.ts';
import { kindAndName, type ObjectReference, referenceTo } from '../kube/object-reference.ts';
import { groupResourceOf } from '../kube/resource-type.ts';
import { specFinalizersOf } from '../kube/well-known-kinds.ts';
import { blockingIndex } from '../snapshot/graph/graph.ts';

/** One request that resolves one link. It tests what it relies on, so that nothing else can change. */
export interface FixRequest {
  /** What it does, and what is lost by it. */
  readonly does: string;
  readonly risk: string;
  readonly object: ObjectReference;
  readonly method: 'PATCH' | 'DELETE' | 'PUT';
  /** Path below the server's address. */
  readonly path: string;
  /**
   * A JSON patch (RFC 6902), or DeleteOptions with preconditions. A PUT sends the whole object with this patch applied: the
   * finalize subresource takes no patch, and whatever a PUT does not name is removed.
   */
  readonly body: unknown;
  /** Path of an object that must not exist: checked right before the request is sent. */
  readonly onlyWithout?: string;
  /** The user asked for it explicitly; the chain does not show that it is safe. */
  readonly insisted?: true;
}

/** A request that is sent, and by what it can be undone. */
export interface SentFix extends FixRequest {
  /** It takes away a reference that a restoration would set again. */
  readonly losesOwner?: boolean;
}

type Patch = readonly Readonly<Record<string, unknown>>[];

/** A JSON patch of this object. */
export function patchOf(record: ObjectRecord, does: string, risk: string, body: Patch): FixRequest {
  const path = objectPath(record.type, record.namespace, record.name);
  return { does, risk, object: referenceTo(record), method: 'PATCH', path, body };
}

/** How a step is undone: the object is recreated, it gets references back, or it cannot be undone. */
export function undoneBy({ method, body, losesOwner }: SentFix) {
  if (method !== 'PATCH') return 'creation';
  const paths = (body as Patch).flatMap(({ op, path }) => (op === 'test' ? [] : `${path}`));
  if (paths.every((path) => path.startsWith('/metadata/finalizers/'))) return 'creation';
  // An owner that did not exist is not restored, and an owner that waited need not wait again.
  return losesOwner ? 'references' : 'nothing';
}

/** Removes one finalizer, and nothing else. */
export function removeFinalizer(record: ObjectRecord, finalizer: string, risk: string): FixRequest {
  return patchOf(
    record,
    `remove the finalizer ${finalizer} from ${kindAndName(record)}`,
    risk,
    finalizerPatch(record, finalizer),
  );
}

export function finalizerPatch(record: ObjectRecord, finalizer: string): Patch {
  const path = `/metadata/finalizers/${record.finalizers.indexOf(finalizer)}`;
  return [
    { op: 'test', path: '/metadata/uid', value: record.uid },
    { op: 'test', path, value: finalizer },
    { op: 'remove', path },
  ];
}

/** Removes the reference to an owner, as the garbage collector does for orphan (orphanDependents, pkg/controller/garbagecollector/garbagecollector.go). */
export function releasePatch(dependent: ObjectRecord, owner: ObjectRecord): Patch {
  const index = dependent.ownerReferences.findIndex(({ uid }) => uid === owner.uid);
  const path = `/metadata/ownerReferences/${index}`;
  return [
    { op: 'test', path: '/metadata/uid', value: dependent.uid },
    { op: 'test', path: `${path}/uid`, value: owner.uid },
    { op: 'remove', path },
  ];
}

/** Lets a dependent stop blocking its owner; it keeps the reference itself. */
export function stopBlocking(dependent: ObjectRecord, owner: ObjectRecord): FixRequest {
  const index = blockingIndex(dependent, owner.uid);
  const path = `/metadata/ownerReferences/${index}`;
  return patchOf(
    dependent,
    `let ${kindAndName(dependent)} stop blocking ${kindAndName(owner)} (blockOwnerDeletion: false)`,
    `${kindAndName(owner)} is deleted before ${kindAndName(dependent)}, which is not changed`,
    [
      { op: 'test', path: '/metadata/uid', value: dependent.uid },
      { op: 'test', path: `${path}/uid`, value: owner.uid },
      { op: 'test', path: `${path}/blockOwnerDeletion`, value: true },
      { op: 'replace', path: `${path}/blockOwnerDeletion`, value: false },
    ],
  );
}

/** Deletes one object as it was read, by uid and resourceVersion; grace 0 confirms in place of a kubelet that does not exist. */
export function deleteExactly(
  record: ObjectRecord,
  does: string,
  risk: string,
  onlyWithout: string,
  gracePeriodSeconds?: number,
): FixRequest {
  const { uid, resourceVersion } = record;
  return {
    does,
    risk,
    object: referenceTo(record),
    method: 'DELETE',
    path: objectPath(record.type, record.namespace, record.name),
    body: {
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      preconditions: { uid, ...(resourceVersion !== undefined && { resourceVersion }) },
      propagationPolicy: 'Background',
      ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
    },
    onlyWithout,
  };
}

/** Removes one entry of a namespace's spec.finalizers, and nothing else. */
export function finalizeNamespace(record: ObjectRecord, finalizer: string): FixRequest {
  const { name, uid, resourceVersion } = record;
  const path = `/spec/finalizers/${specFinalizersOf(record).indexOf(finalizer)}`;
  const version = { op: 'test', path: '/metadata/resourceVersion', value: resourceVersion };
  return {
    does: `remove ${finalizer} from the spec.finalizers of Namespace ${name}, which is empty`,
    risk: 'objects of kinds that no API serves any more would be left in etcd, out of reach',
    object: referenceTo(record),
    method: 'PUT',
    path: objectPath(record.type, '', name) + apiPath('finalize'),
    body: [
      { op: 'test', path: '/metadata/uid', value: uid },
      ...(resourceVersion === undefined ? [] : [version]),
      { op: 'test', path, value: finalizer },
      { op: 'remove', path },
    ],
  };
}

/** The command that shows what is wrong with an object's references, and what would put it right. */
export function invalidReferencesCommandOf(
  { type, namespace, name }: Pick<ObjectRecord, 'type' | 'namespace' | 'name'>,
  ...more: readonly string[]
): ShellCommand {
  const kind = groupResourceOf(type);
  const where = namespace === '' ? ['-A'] : inNamespace({ namespace });
  const selector = selectorOfName(name);
  return shellCommand`kubectl gc invalid-ownerrefs ${kind} ${where} --field-selector ${selector} ${more}`;
}

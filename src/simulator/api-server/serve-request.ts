import type { Json } from '../../kube/json-value.ts';
import { parseLabelSelector } from '../../kube/label-selector.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { nodeNameOf, notRead } from '../../kube/pod-use.ts';
import { objectOf, recordOf } from '../../kube/record-codec.ts';
import { groupResourceOf, type ResourceType } from '../../kube/resource-type.ts';
import { isBuiltInGroup } from '../../kube/resource-types.ts';
import { timestampOf } from '../../kube/time.ts';
import { isPod } from '../../kube/well-known-kinds.ts';
import type { RunContext } from '../engine/run-context.ts';
import type { Result } from '../engine/timeline.ts';
import { namespaceOf } from '../garbage-collector/invalid-namespace-events.ts';
import { createObject, notFound, refusal, updateObject, type Written } from './api-server.ts';
import { applyPatch } from './apply-patch.ts';
import { deleteCollection, deleteObject } from './delete-object.ts';
import { accepted, type DeleteOptions, type Reply, type SimulatedRequest } from './request.ts';
import {
  factsOfNew,
  factsOfUpdated,
  finalizersOfNew,
  type SpecChange,
  specChange,
} from './requested-facts.ts';

/** Carries out a user's request and answers as the API server would. */
export function serveRequest(context: RunContext, request: SimulatedRequest): Reply {
  const type = context.state.types.find(request.apiVersion, request.kind);
  if (!type) {
    const what = `${request.apiVersion} ${request.kind}`;
    return refusal(404, 'NotFound', `the server could not find the requested resource: ${what}`)
      .reply;
  }
  const invalid = 'options' in request ? refusesOptions(request.options) : undefined;
  if (invalid) return invalid.reply;
  const namespace = type.namespaced ? request.namespace : '';
  if (type.namespaced && namespace === '' && request.verb !== 'deletecollection') {
    const message = 'an empty namespace may not be set when a resource name is provided';
    return refusal(400, 'BadRequest', message).reply;
  }
  if (request.verb === 'deletecollection')
    return serveCollection(context, type, namespace, request);
  const { name } = request;
  if (request.verb === 'create') {
    const record = newRecord(context, type, namespace, request.object);
    const written =
      refusesContent(context, record) ?? createObject(context, record, request.dryRun);
    note(context, 'create', written.after ?? record, written);
    return written.reply;
  }
  const record = context.state.get(type, namespace, name);
  if (!record) return notFound(type, name).reply;
  const written = write(context, record, request);
  const policy = request.verb === 'delete' ? requestedPolicy(request.options) : undefined;
  note(context, request.verb, record, written, policy);
  if (request.verb !== 'delete' || written.result === 'refused') return written.reply;
  // Only a request with orphanDependents=false gets 202 while the object is still there (GC-53).
  const isPending = written.result !== 'removed' && request.options.orphanDependents === false;
  return isPending ? { code: 202, reason: '' } : written.reply;
}

/** Mirrors ValidateDeleteOptions (GC-50). */
function refusesOptions({ orphanDependents, propagationPolicy }: DeleteOptions) {
  if (orphanDependents === undefined || propagationPolicy === undefined) return undefined;
  const why = 'orphanDependents and deletionPropagation cannot be both set';
  const message = `DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Invalid value: "${propagationPolicy}": ${why}`;
  return refusal(422, 'Invalid', message, 'GC-50');
}

function write(
  context: RunContext,
  record: ObjectRecord,
  request: Exclude<SimulatedRequest, { verb: 'deletecollection' }>,
): Written {
  switch (request.verb) {
    case 'delete':
      return deleteObject(context, record, request.options);
    case 'patch': {
      if (request.patchType === 'strategic' && !isBuiltInGroup(record.type.group)) {
        const message =
          'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml';
        return refusal(415, 'UnsupportedMediaType', message, 'GC-31');
      }
      const object = objectOf(record);
      const patched = applyPatch(object, request.patchType, request.patch);
      if ('refused' in patched) return refusal(...patched.refused);
      const change = specChange(object.spec, patched.object.spec);
      return replace(context, record, patched.object, change, request.dryRun);
    }
    default:
      return conflicts(record, request.object) ?? put(context, record, request);
  }
}

/** Mirrors the admission plugin NamespaceLifecycle (GC-77). */
function refusesContent(context: RunContext, { type, namespace, name }: ObjectRecord) {
  if (namespaceOf(context, namespace)?.deletionTimestamp === undefined) return undefined;
  const message = `${groupResourceOf(type)} "${name}" is forbidden: unable to create new content in namespace ${namespace} because it is being terminated`;
  return refusal(403, 'Forbidden', message, 'GC-77');
}

/** A PUT is bound to the uid that it names; a patch may not change it. */
function conflicts({ type, name, uid }: ObjectRecord, object: Json): Written | undefined {
  const wanted = recordOf(object, type).uid;
  if (wanted === '' || wanted === uid) return undefined;
  const message = `Operation cannot be fulfilled on ${groupResourceOf(type)} "${name}": Precondition failed: UID in precondition: ${wanted}, UID in object meta: ${uid}`;
  return refusal(409, 'Conflict', message, 'GC-67');
}

/** Of a whole spec, only the fields that were read can be compared. */
function put(
  context: RunContext,
  record: ObjectRecord,
  { object, dryRun }: { readonly object: Json; readonly dryRun: boolean },
): Written {
  const { facts } = recordOf(object, record.type);
  const wanted = objectOf({ ...record, facts: factsOfUpdated(record, facts, 'none') });
  const change = specChange(objectOf(record).spec, wanted.spec);
  return replace(context, record, object, change, dryRun);
}

/** Takes over the fields that an update may change; the rest stays as stored. */
function replace(
  context: RunContext,
  record: ObjectRecord,
  object: Json,
  change: SpecChange,
  dryRun: boolean,
): Written {
  const wanted = recordOf(object, record.type, record.place);
  const { resourceVersion } = wanted;
  if (resourceVersion !== undefined && resourceVersion !== record.resourceVersion) {
    const message = `Operation cannot be fulfilled on ${groupResourceOf(record.type)} "${record.name}": the object has been modified; please apply your changes to the latest version and try again`;
    return refusal(409, 'Conflict', message, 'GC-67');
  }
  // A deletion that began stays as it is, whatever an update says (BeforeUpdate).
  const { deletionTimestamp = wanted.deletionTimestamp } = record;
  const { deletionGracePeriodSeconds = record.deletionGracePeriodSeconds } = wanted;
  const after = {
    ...record,
    uid: wanted.uid || record.uid,
    deletionTimestamp,
    deletionGracePeriodSeconds,
    ownerReferences: wanted.ownerReferences,
    finalizers: wanted.finalizers,
    labels: wanted.labels,
    annotations: wanted.annotations,
    facts: factsOfUpdated(record, wanted.facts, change),
  };
  return updateObject(context, record, after, dryRun);
}

function newRecord(
  context: RunContext,
  type: ResourceType,
  namespace: string,
  object: Json,
): ObjectRecord {
  const record = recordOf(object, type);
  const serial = String(context.state.changes).padStart(12, '0');
  return {
    ...record,
    namespace,
    uid: `00000000-0000-4000-8000-${serial}`,
    creationTimestamp: timestampOf(context.now()),
    deletionTimestamp: undefined,
    deletionGracePeriodSeconds: undefined,
    finalizers: finalizersOfNew(record),
    facts: factsOfNew(record),
  };
}

function serveCollection(
  context: RunContext,
  type: ResourceType,
  namespace: string,
  request: Extract<SimulatedRequest, { verb: 'deletecollection' }>,
): Reply {
  // A collection of a namespaced kind is always that of one namespace.
  const isEverywhere = type.namespaced && namespace === '';
  if (isEverywhere || !type.verbs.includes('deletecollection')) {
    const message = 'the server does not allow this method on the requested resource';
    return refusal(405, 'MethodNotAllowed', message).reply;
  }
  const matches = parseLabelSelector(request.labelSelector ?? '');
  const listed = context.state.list(type, namespace);
  const done = deleteCollection(
    context,
    listed.filter(({ labels }) => matches(labels)),
    request.options,
  );
  for (const { record, written } of done) {
    note(context, 'deletecollection', record, written, requestedPolicy(request.options));
  }
  return done.find(({ written }) => written.result === 'refused')?.written.reply ?? accepted;
}

function requestedPolicy({
  propagationPolicy,
  orphanDependents,
}: DeleteOptions): string | undefined {
  if (orphanDependents === undefined) return propagationPolicy;
  return orphanDependents ? 'Orphan' : 'Background';
}

const resultWords: Readonly<Record<Result, string>> = {
  removed: 'no finalizers, removed immediately',
  terminating: 'it is marked as being deleted',
  changed: 'its metadata is changed',
  created: 'it is created',
  unchanged: 'nothing changes',
  refused: 'it is refused',
};

/** Of a pod whose spec was not read. */
const goneSomehow =
  'its Node was not read: without one it is removed immediately, else after the kubelet confirms that its containers stopped';

function note(
  context: RunContext,
  verb: 'delete' | 'deletecollection' | 'patch' | 'update' | 'create',
  record: ObjectRecord,
  { result, after, reply, rule }: Written,
  policy?: string,
): void {
  context.timeline.note('user', verb, record, result, () => {
    const waits = result === 'terminating' ? heldBy(after) : '';
    const isUnread = result === 'removed' && isPod(record) && nodeNameOf(record) === notRead;
    const changed = result === 'changed' ? changedFacts(record, after) : undefined;
    const what = changed ?? (isUnread ? goneSomehow : resultWords[result]);
    const because = reply.message ?? `requested; ${what}${waits}`;
    return { because, rule, ...(policy !== undefined && { policy }) };
  });
}

/** What a request changes besides metadata. */
function changedFacts(before: ObjectRecord, after: ObjectRecord | undefined): string | undefined {
  const isOther = (a: unknown, b: unknown) => JSON.stringify(a) !== JSON.stringify(b);
  if (isOther(before.facts?.taints, after?.facts?.taints)) return 'its taints are changed';
  return isOther(before.facts, after?.facts) ? 'its spec is changed' : undefined;
}

function heldBy(record: ObjectRecord | undefined): string {
  if (!record) return '';
  if (record.finalizers.length > 0) return ` and waits for ${record.finalizers.join(', ')}`;
  const grace = record.deletionGracePeriodSeconds ?? 0;
  return grace > 0 ? ` with a grace period of ${grace}s` : '';
}

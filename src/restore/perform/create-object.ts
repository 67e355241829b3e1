import { isDeepStrictEqual } from 'node:util';
import { objectPath } from '../../cluster/api-path.ts';
import type { WriteAnswer } from '../../cluster/write/write-answer.ts';
import { fieldManager } from '../../cluster/write/write-request.ts';
import { fieldsListOf, jsonOf } from '../../kube/json-value.ts';
import { inWords, type ObjectLocation } from '../../kube/object-reference.ts';
import type { KubeObject } from '../../kube/record-codec.ts';
import type { RestoredKind } from '../kinds/restored-kind.ts';
import { restoredKind } from '../kinds/restored-kinds.ts';
import { uidOf } from '../plan/live-objects.ts';
import { comparable, managersOf, type SavedManagers } from '../relink/field-managers.ts';
import { hasSameContent } from '../relink/missing-references.ts';
import type { RestoreTarget } from './restore-target.ts';

/** The outcome of sending a manifest. */
export interface CreatedObject {
  readonly outcome: 'created' | 'patched' | 'exists' | 'refused';
  readonly uid?: string;
  readonly message?: string;
  /** With `created` and `patched`: what the server has made of it, or its metadata. */
  readonly object?: KubeObject;
  /** With `exists`: what is there. */
  readonly live?: KubeObject;
}

/**
 * Creates one object; one that another client created first is no failure. After an answer that was lost,
 * what is there counts as created only where it is what was sent, and we have written it. `manager`: who is to manage its
 * fields.
 */
export async function createObject(
  target: RestoreTarget,
  at: ObjectLocation,
  manifest: KubeObject,
  manager: string = fieldManager,
): Promise<CreatedObject> {
  const { withoutRefused } = restoredKind(at.type);
  let sent = manifest;
  let answer = await post(target, at, sent, manager);
  for (;;) {
    const left = answer.outcome === 'refused' ? withoutRefused?.(sent, answer.message) : undefined;
    if (!left) break;
    sent = left;
    answer = await post(target, at, sent, manager);
  }
  const created = await createdObject(target, at, { sent, manager }, answer);
  if (created.outcome !== 'created') return created;
  if (sent === manifest) return inForce(target, at, manifest, created);
  return {
    ...created,
    message: 'its address or port cannot be had here any more, so it got new ones',
  };
}

/** What shows that a new object governs others; undefined where there is nothing to wait for. */
function governing({ type }: ObjectLocation, manifest: KubeObject): RestoredKind['inForce'] {
  const { inForce: wanted } = restoredKind(type);
  return wanted?.isSo(manifest) ? undefined : wanted;
}

/** Half a minute. */
const inForceTries = 60;

/** Waits until what governs others does so: before, they would be created without it, or not at all. */
async function inForce(
  target: RestoreTarget,
  at: ObjectLocation,
  manifest: KubeObject,
  created: CreatedObject,
): Promise<CreatedObject> {
  const wanted = governing(at, manifest);
  const { dryRun, onWait, signal } = target.options;
  if (!wanted || dryRun || (created.object && wanted.isSo(created.object))) return created;
  onWait?.(`${inWords(at)} to be ${wanted.until}`);
  const live = await target.until(
    inForceTries,
    () => target.look(at),
    (one) => typeof one === 'string' || wanted.isSo(one) || signal?.aborted === true,
  );
  if (typeof live === 'string') {
    return { ...created, message: `whether it is ${wanted.until} is unknown: ${live}` };
  }
  if (wanted.isSo(live) || signal?.aborted) return { ...created, object: live };
  return { ...created, message: `it was not ${wanted.until} half a minute after it was created` };
}

/**
 * Gives an object that a controller has made for its namespace this content, unless another manager has set a field
 * to another value.
 */
export async function applyContent(
  target: RestoreTarget,
  at: ObjectLocation,
  body: KubeObject,
  uid: string,
): Promise<CreatedObject> {
  const { outcome, message, object } = await target.send({
    verb: 'patch',
    patchType: 'apply',
    path: objectPath(at.type, at.namespace, at.name),
    guards: { uid },
    body,
  });
  if (outcome !== 'done') return { outcome: 'refused', uid, message };
  return { outcome: 'patched', uid, ...(object && { object: object as KubeObject }) };
}

function post(
  target: RestoreTarget,
  at: ObjectLocation,
  body: KubeObject,
  manager: string,
): Promise<WriteAnswer> {
  const path = objectPath(at.type, at.namespace);
  // Most objects are asked for nothing else than their metadata.
  const metadataOnly = governing(at, body) === undefined && body.status === undefined;
  return target.send({ verb: 'create', path, body, manager, metadataOnly }, comesSoon);
}

/** A definition is served a moment after it is established; a new namespace gets its ServiceAccount a moment later. */
function comesSoon({ code, reason, message }: WriteAnswer): boolean {
  if (code === 404) return reason !== 'NotFound' || !message.startsWith('namespaces ');
  if (code === 409) return reason === 'Conflict';
  return code === 403 && /serviceaccount "?[^ ]*"? not found/.test(message);
}

/** What an answer comes to; where it does not say which object is there, that is looked at. */
async function createdObject(
  target: RestoreTarget,
  at: ObjectLocation,
  { sent, manager }: { readonly sent: KubeObject; readonly manager: string },
  answer: WriteAnswer,
): Promise<CreatedObject> {
  const { outcome, message, reason, repeated, uid, object } = answer;
  const isDone = outcome === 'done';
  if (isDone && (uid !== undefined || target.options.dryRun)) {
    const made = object && { object: object as KubeObject };
    return { outcome: 'created', ...(uid !== undefined && { uid }), ...made };
  }
  if (!isDone && reason !== 'AlreadyExists') return { outcome: 'refused', message };
  const live = await target.look(at);
  if (typeof live === 'string')
    return { outcome: 'refused', message: message || 'it was deleted again' };
  const found = { uid: uidOf(live), live };
  if (!isDone && !repeated) {
    const maker = `${makerOf(live)} has created it in the meantime`;
    return { outcome: 'exists', ...found, message: maker };
  }
  // The request got through, and only the answer was lost.
  if (isCreatedBy(live, manager) && hasSameContent(at.type, sent, live)) {
    return { outcome: 'created', uid: found.uid, object: live };
  }
  const taken = 'the answer to its creation was lost, and its name is taken now';
  return { outcome: 'exists', ...found, message: taken };
}

/** The server notes who created an object; what an aggregated API server stores may be without. */
function isCreatedBy({ metadata }: KubeObject, creator: string): boolean {
  const managers = fieldsListOf(metadata.managedFields);
  return managers.length === 0 || managers.some(({ manager }) => manager === creator);
}

function makerOf({ metadata }: KubeObject): string {
  const references = Array.isArray(metadata.ownerReferences) ? metadata.ownerReferences : [];
  const controller = references.map(jsonOf).find((reference) => reference?.controller === true);
  return controller ? `the controller of ${controller.kind} ${controller.name}` : 'another client';
}

/**
 * Gives a custom resource the status that the server has dropped from its creation, as the kind has a status subresource.
 * One that its controller has written meanwhile stays. Returns why it could not, or the object.
 */
export async function restoreStatus(
  target: RestoreTarget,
  at: ObjectLocation,
  { uid = '', object }: CreatedObject,
  status: unknown,
): Promise<string | KubeObject | undefined> {
  if (!object || object.status !== undefined) return object;
  const patched = await target.patch(
    at,
    uid,
    (live) => (live.status === undefined ? [{ op: 'add', path: '/status', value: status }] : []),
    { known: object, subresource: 'status' },
  );
  return patched.outcome === 'refused' ? (patched.message ?? 'refused') : patched.object;
}

/**
 * Gives an object that was just created its field managers back, so that the next server-side apply of
 * one of them is no conflict. The API server makes the creator of an object the manager of all its
 * fields, whatever managedFields the new object has; it takes them in a later patch
 * (decodeLiveOrNew, fieldmanager.go). Returns why it could not, or undefined.
 */
export async function restoreManagers(
  target: RestoreTarget,
  at: ObjectLocation,
  { uid = '', object }: CreatedObject,
  saved: SavedManagers,
): Promise<string | undefined> {
  const path = '/metadata/managedFields';
  const { outcome, message } = await target.patch(
    at,
    uid,
    ({ metadata }) => {
      const live = fieldsListOf(metadata.managedFields);
      const value = managersOf(saved, live);
      return isDeepStrictEqual(comparable(value), comparable(live))
        ? []
        : [{ op: 'add', path, value }];
    },
    { known: object },
  );
  return outcome === 'refused' ? message : undefined;
}

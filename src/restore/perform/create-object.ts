import type { WriteAnswer } from '../../cluster/write/write-answer.ts';
import { fieldManager } from '../../cluster/write/write-request.ts';
import { conditionOf, fieldsListOf, type Json, jsonOf } from '../../kube/json-value.ts';
import type { ObjectLocation } from '../../kube/object-reference.ts';
import type { KubeObject } from '../../kube/record-codec.ts';
import { objectPath } from '../../kube/resource-type.ts';
import { isCustomResourceDefinition } from '../../kube/well-known-kinds.ts';
import { uidOf } from '../plan/live-objects.ts';
import { withoutAllocations } from '../plan/prepare-manifest.ts';
import { hasSameContent } from '../relink/missing-references.ts';
import type { RestoreTarget } from './restore-target.ts';

/** The outcome of sending a manifest. */
interface CreatedObject {
  readonly outcome: 'created' | 'exists' | 'refused';
  readonly uid?: string;
  readonly message?: string;
  /** With `created`: what the server has made of it. */
  readonly object?: KubeObject;
  /** With `exists`: what is there. */
  readonly live?: KubeObject;
}

/**
 * Creates one object; one that another client created first is no failure. After an answer that was lost,
 * what is there counts as created only where it is what was sent, and we have written it.
 */
export async function createObject(
  target: RestoreTarget,
  at: ObjectLocation,
  manifest: KubeObject,
): Promise<CreatedObject> {
  const answer = await post(target, at, manifest);
  if (answer.code === 422 && isAllocated.test(answer.message)) {
    const sent = withoutAllocations(manifest);
    const created = await resultOf(target, at, sent, await post(target, at, sent));
    const message = 'its address or port belongs to another Service now, so it got new ones';
    return created.outcome === 'created' ? { ...created, message } : created;
  }
  const created = await resultOf(target, at, manifest, answer);
  if (created.outcome === 'created' && isCustomResourceDefinition(at) && !target.options.dryRun) {
    // Half a minute at most: custom resources cannot be created before.
    const isEstablished = (live: KubeObject | string) =>
      typeof live !== 'string' && conditionOf(live, 'Established')?.status === 'True';
    await target.until(establishTries, () => target.look(at), isEstablished);
  }
  return created;
}

const establishTries = 60;

function post(
  target: RestoreTarget,
  { type, namespace }: ObjectLocation,
  body: KubeObject,
): Promise<WriteAnswer> {
  return target.send({ verb: 'create', path: objectPath(type, namespace), body }, comesSoon);
}

/** A definition is served a moment after it is established; a new namespace gets its ServiceAccount a moment later. */
function comesSoon({ code, reason, message }: WriteAnswer): boolean {
  if (code === 404) return reason !== 'NotFound' || !message.startsWith('namespaces ');
  if (code === 409) return reason === 'Conflict';
  return code === 403 && /serviceaccount "?[^ ]*"? not found/.test(message);
}

/** What an answer comes to; where it does not say which object is there, that is looked at. */
async function resultOf(
  target: RestoreTarget,
  at: ObjectLocation,
  sent: KubeObject,
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
    return { outcome: 'refused', message: message || 'it is gone again' };
  const found = { uid: uidOf(live), live };
  if (!isDone && !repeated) {
    const maker = `${makerOf(live)} has created it in the meantime`;
    return { outcome: 'exists', ...found, message: maker };
  }
  // The request got through, and only the answer was lost.
  if (isOurs(live) && hasSameContent(at.type, sent, live)) {
    return { outcome: 'created', uid: found.uid, object: live };
  }
  const taken = 'the answer to its creation was lost, and its name is taken now';
  return { outcome: 'exists', ...found, message: taken };
}

/** The server notes who created an object; what an aggregated API server stores may be without. */
function isOurs({ metadata }: KubeObject): boolean {
  const managers = fieldsListOf(metadata.managedFields);
  return managers.length === 0 || managers.some(({ manager }) => manager === fieldManager);
}

function makerOf({ metadata }: KubeObject): string {
  const references = Array.isArray(metadata.ownerReferences) ? metadata.ownerReferences : [];
  const controller = references.map(jsonOf).find((reference) => reference?.controller === true);
  return controller ? `the controller of ${controller.kind} ${controller.name}` : 'another client';
}

const isAllocated = /already allocated|not in the valid range|not in any of the configured/;

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
  saved: readonly Json[],
): Promise<string | undefined> {
  const path = '/metadata/managedFields';
  const { outcome, message } = await target.patch(
    at,
    uid,
    ({ metadata }) => {
      const value = managersOf(saved, fieldsListOf(metadata.managedFields));
      return [{ op: 'add', path, value }];
    },
    object,
  );
  return outcome === 'refused' ? message : undefined;
}

/** The saved managers, and those that have written to the new object since. A status is not restored. */
function managersOf(saved: readonly Json[], live: readonly Json[]): Json[] {
  return [
    ...saved.filter(({ subresource }) => !subresource),
    ...live.filter(({ manager, subresource }) => manager !== fieldManager || subresource),
  ];
}

import type { ClusterClient } from '../../cluster/connection/cluster-client.ts';
import { inParallel } from '../../cluster/in-parallel.ts';
import { fetchOne } from '../../cluster/list/fetch-manifests.ts';
import { defaultRetryPolicy } from '../../cluster/pacing.ts';
import { type SendOptions, sendWrite } from '../../cluster/write/send-write.ts';
import type { WriteAnswer } from '../../cluster/write/write-answer.ts';
import { fieldManager, type WriteRequest } from '../../cluster/write/write-request.ts';
import { conditionOf, fieldsListOf, type Json, jsonOf } from '../../kube/json-value.ts';
import { locationKey, type ObjectLocation } from '../../kube/object-reference.ts';
import type { KubeObject } from '../../kube/record-codec.ts';
import { objectPath } from '../../kube/resource-type.ts';
import { wrongVolume } from '../plan/bring-back-volume.ts';
import { uidOf } from '../plan/live-objects.ts';
import type { PlannedRestoration } from '../plan/planned-restoration.ts';
import { withoutAllocations } from '../plan/prepare-manifest.ts';
import { hasSameContent } from '../relink/missing-references.ts';
import { isDefinition } from '../relink/owner-lookup.ts';
import { wantedAt } from './look-up.ts';

export interface CreateOptions extends Pick<SendOptions, 'retry' | 'signal'> {
  readonly dryRun: boolean;
}

/** Sends one request of a restoration; throws where the server cannot be reached. */
export async function send(
  client: ClusterClient,
  write: WriteRequest,
  { dryRun, retry, signal }: CreateOptions,
  waitsFor?: SendOptions['waitsFor'],
): Promise<WriteAnswer> {
  const options = { retry, signal, ...(waitsFor && !dryRun && { waitsFor }) };
  const answer = await sendWrite(client, { ...write, dryRun }, options);
  if (answer.error !== undefined) throw answer.error;
  return answer;
}

/** The outcome of sending a manifest. */
export interface CreatedObject {
  readonly outcome: 'created' | 'exists' | 'refused';
  readonly uid?: string;
  readonly message?: string;
  /** With `created`: what the server has made of it. */
  readonly object?: Json;
  /** With `exists`: what is there. */
  readonly live?: KubeObject;
}

/**
 * Creates one object; one that another client created first is no failure. After an answer that was lost,
 * what is there counts as created only where it is what was sent, and we have written it.
 */
export async function createObject(
  client: ClusterClient,
  at: ObjectLocation,
  manifest: KubeObject,
  options: CreateOptions,
): Promise<CreatedObject> {
  const answer = await post(client, at, manifest, options);
  if (answer.code === 422 && isAllocated.test(answer.message)) {
    const sent = withoutAllocations(manifest);
    const again = await post(client, at, sent, options);
    const created = await resultOf(client, at, sent, again, options);
    const message = 'its address or port belongs to another Service now, so it got new ones';
    return created.outcome === 'created' ? { ...created, message } : created;
  }
  const created = await resultOf(client, at, manifest, answer, options);
  if (created.outcome === 'created' && isDefinition(at) && !options.dryRun) {
    await untilEstablished(client, at, options);
  }
  return created;
}

function post(
  client: ClusterClient,
  at: ObjectLocation,
  manifest: KubeObject,
  options: CreateOptions,
): Promise<WriteAnswer> {
  const path = objectPath(at.type, at.namespace);
  return send(client, { verb: 'create', path, body: manifest }, options, comesSoon);
}

/** A definition is served a moment after it is established; a new namespace gets its ServiceAccount a moment later. */
function comesSoon({ code, reason, message }: WriteAnswer): boolean {
  if (code === 404) return reason !== 'NotFound' || !message.startsWith('namespaces ');
  if (code === 409) return reason === 'Conflict';
  return code === 403 && /serviceaccount "?[^ ]*"? not found/.test(message);
}

/** What an answer comes to; where it does not say which object is there, that is looked at. */
async function resultOf(
  client: ClusterClient,
  at: ObjectLocation,
  sent: KubeObject,
  answer: WriteAnswer,
  options: CreateOptions,
): Promise<CreatedObject> {
  const { outcome, message, reason, repeated, uid, object } = answer;
  const isDone = outcome === 'done';
  if (isDone && (uid !== undefined || options.dryRun)) {
    return { outcome: 'created', ...(uid !== undefined && { uid }), ...(object && { object }) };
  }
  if (!isDone && reason !== 'AlreadyExists') return { outcome: 'refused', message };
  const live = await objectAt(client, at, options);
  if (!live) return { outcome: 'refused', message: message || 'it is gone again' };
  const found = { uid: uidOf(live), live };
  if (!isDone && !repeated) {
    const maker = `${makerOf(live)} has created it in the meantime`;
    return { outcome: 'exists', ...found, message: maker };
  }
  // The request got through, and only the answer was lost.
  if (isOurs(live) && hasSameContent(at.type, sent, live)) {
    return { outcome: 'created', uid: found.uid, object: { ...live } };
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

async function objectAt(
  client: ClusterClient,
  at: ObjectLocation,
  { retry }: Pick<CreateOptions, 'retry'>,
): Promise<KubeObject | undefined> {
  const fetched = await fetchOne(client, wantedAt(at), { retry });
  return 'manifest' in fetched ? fetched.manifest : undefined;
}

const isAllocated = /already allocated|not in the valid range|not in any of the configured/;

const establishTries = 60;

/** Waits until custom resources of a new definition can be created: half a minute at most. */
async function untilEstablished(
  client: ClusterClient,
  at: ObjectLocation,
  { retry }: CreateOptions,
): Promise<void> {
  const { sleep } = retry ?? defaultRetryPolicy;
  for (let attempt = 0; attempt < establishTries; attempt++) {
    const live = await objectAt(client, at, { retry });
    if (live && conditionOf(live, 'Established')?.status === 'True') return;
    await sleep(500);
  }
}

/**
 * Removes the uid of a claim that is gone from a PersistentVolume, and keeps that reserved for the
 * claim of that name. Returns why it could not, or undefined.
 */
export async function releaseVolume(
  client: ClusterClient,
  volume: ObjectLocation,
  claimUid: string,
  options: CreateOptions,
): Promise<string | undefined> {
  const fetched = await fetchOne(client, wantedAt(volume), { retry: options.retry });
  if (!('manifest' in fetched)) return fetched.message;
  const claimRef = jsonOf(jsonOf(fetched.manifest.spec)?.claimRef);
  if (claimRef?.uid === undefined) return undefined;
  if (claimRef.uid !== claimUid) {
    return `the volume ${volume.name} is used by another claim now`;
  }
  const path = '/spec/claimRef/uid';
  const body = [
    { op: 'test', path, value: claimRef.uid },
    { op: 'remove', path },
  ];
  const write = { verb: 'patch', patchType: 'json', body } as const;
  const at = objectPath(volume.type, '', volume.name);
  const { outcome, message } = await send(client, { ...write, path: at }, options);
  return outcome === 'done' ? undefined : message;
}

const atOnce = 8;
const bindingTries = 60;
const bindingPause = 500;

/**
 * Waits until claims are bound to the volumes that they must have, half a minute at most. Returns
 * what is wrong with the others, by key.
 */
export async function volumeFaults(
  restored: readonly PlannedRestoration[],
  client: ClusterClient,
  { retry }: CreateOptions,
): Promise<ReadonlyMap<string, string>> {
  const { sleep } = retry ?? defaultRetryPolicy;
  const faults = new Map<string, string>();
  let waiting = restored.filter(({ volume }) => volume !== undefined);
  for (let attempt = 0; attempt < bindingTries && waiting.length > 0; attempt++) {
    if (attempt > 0) await sleep(bindingPause);
    const answers = await inParallel(waiting, atOnce, async (planned) => {
      const { fault, isPending } = await stateOfClaim(planned, client, retry);
      if (fault === undefined) faults.delete(locationKey(planned.saved));
      else faults.set(locationKey(planned.saved), fault);
      return isPending;
    });
    waiting = waiting.filter((_, index) => answers[index]);
  }
  return faults;
}

async function stateOfClaim(
  { saved, volume = '' }: PlannedRestoration,
  client: ClusterClient,
  retry: CreateOptions['retry'],
): Promise<{ readonly fault: string | undefined; readonly isPending: boolean }> {
  const fetched = await fetchOne(client, wantedAt(saved), { retry });
  if (!('manifest' in fetched)) return { fault: fetched.message, isPending: false };
  const { spec, status } = fetched.manifest;
  const name = jsonOf(spec)?.volumeName;
  if (name !== volume) {
    return { fault: `it is there, but ${wrongVolume(name, volume)}`, isPending: false };
  }
  const phase = jsonOf(status)?.phase;
  if (phase === 'Bound') return { fault: undefined, isPending: false };
  const fault = `it is not bound to its volume ${volume}: it is ${phase ?? 'without a phase'}`;
  return { fault, isPending: phase !== 'Lost' };
}

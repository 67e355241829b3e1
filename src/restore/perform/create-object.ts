import type { ClusterClient } from '../../cluster/connection/cluster-client.ts';
import { inParallel } from '../../cluster/in-parallel.ts';
import { fetchOne } from '../../cluster/list/fetch-manifests.ts';
import { jsonOf } from '../../kube/json-value.ts';
import { locationKey, type ObjectLocation, referenceTo } from '../../kube/object-reference.ts';
import type { KubeObject } from '../../kube/record-codec.ts';
import { objectPath } from '../../kube/resource-type.ts';
import { wrongVolume } from '../plan/bring-back-volume.ts';
import { uidOf } from '../plan/live-objects.ts';
import type { PlannedRestoration } from '../plan/planned-restoration.ts';
import { withoutAllocations } from '../plan/prepare-manifest.ts';
import { isDefinition } from '../relink/owner-lookup.ts';
import { type ApiAnswer, messageOf, type RestoreRequestOptions, sendWrite } from './send-write.ts';

export interface CreateOptions extends RestoreRequestOptions {
  readonly dryRun: boolean;
}

/** The outcome of sending a manifest. */
interface CreatedObject {
  readonly outcome: 'created' | 'exists' | 'refused';
  readonly uid?: string;
  readonly message?: string;
  /** With `exists`: what is there. */
  readonly live?: KubeObject;
}

/** Creates one object; one that another client created first is no failure. */
export async function createObject(
  client: ClusterClient,
  at: ObjectLocation,
  manifest: KubeObject,
  options: CreateOptions,
): Promise<CreatedObject> {
  const answer = await post(client, at, manifest, options);
  if (answer.status === 409) return takenName(client, at, answer, options);
  if (answer.status === 422 && isAllocated(answer)) {
    const again = await post(client, at, withoutAllocations(manifest), options);
    const message = 'its address or port belongs to another Service now, so it got new ones';
    return again.status < 300 ? { ...outcomeOf(at, again), message } : outcomeOf(at, again);
  }
  if (answer.status < 300 && isDefinition(at) && !options.dryRun) {
    await untilEstablished(client, at, options);
  }
  return outcomeOf(at, answer);
}

function post(
  client: ClusterClient,
  at: ObjectLocation,
  manifest: KubeObject,
  options: CreateOptions,
): Promise<ApiAnswer> {
  const query = `?fieldManager=kubectl-gc${options.dryRun ? '&dryRun=All' : ''}`;
  return sendWrite(
    client,
    {
      method: 'POST',
      path: objectPath(at.type, at.namespace) + query,
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify(manifest),
    },
    { ...options, mayPass: (answer) => !options.dryRun && comesSoon(answer) },
  );
}

/** A definition is served a moment after it is established; a new namespace gets its ServiceAccount a moment later. */
function comesSoon({ status, body }: ApiAnswer): boolean {
  const message = body?.message ?? '';
  if (status === 404) return body?.reason !== 'NotFound' || !message.startsWith('namespaces ');
  if (status === 409) return body?.reason === 'Conflict';
  return status === 403 && /serviceaccount "?[^ ]*"? not found/.test(message);
}

function outcomeOf(at: ObjectLocation, answer: ApiAnswer): CreatedObject {
  if (answer.status >= 300) return { outcome: 'refused', message: refusalOf(at, answer) };
  const uid = answer.body?.metadata?.uid;
  return { outcome: 'created', ...(uid !== undefined && { uid }) };
}

/** The server quotes values of an invalid Secret or ConfigMap, which must not get into a log. */
function refusalOf(at: ObjectLocation, answer: ApiAnswer): string {
  const hasData = at.type.group === '' && dataKinds.has(at.type.resource);
  if (!hasData || (answer.status !== 422 && answer.status !== 400)) return messageOf(answer);
  const causes = answer.body?.details?.causes ?? [];
  const fields = causes.flatMap(({ field }) => (field === undefined ? [] : field));
  return `the server finds it invalid${fields.length > 0 ? `: ${fields.join(', ')}` : ''}`;
}

const dataKinds = new Set(['secrets', 'configmaps']);

async function takenName(
  client: ClusterClient,
  at: ObjectLocation,
  answer: ApiAnswer,
  options: CreateOptions,
): Promise<CreatedObject> {
  if (answer.body?.reason !== 'AlreadyExists') return outcomeOf(at, answer);
  const live = await objectAt(client, at, options);
  if (!live) return outcomeOf(at, answer);
  const uid = uidOf(live);
  // The first try got through, and only its answer was lost.
  if (answer.repeated) return { outcome: 'created', uid };
  return { outcome: 'exists', uid, message: `${makerOf(live)} has created it meanwhile`, live };
}

function makerOf({ metadata }: KubeObject): string {
  const references = Array.isArray(metadata.ownerReferences) ? metadata.ownerReferences : [];
  const controller = references.map(jsonOf).find((reference) => reference?.controller === true);
  return controller ? `the controller of ${controller.kind} ${controller.name}` : 'somebody else';
}

async function objectAt(
  client: ClusterClient,
  at: ObjectLocation,
  { retry }: CreateOptions,
): Promise<KubeObject | undefined> {
  const object = { apiVersion: '', kind: at.type.kind, uid: '', ...at };
  const fetched = await fetchOne(client, { object, type: at.type }, { retry });
  return 'manifest' in fetched ? fetched.manifest : undefined;
}

function isAllocated({ body }: ApiAnswer): boolean {
  return /already allocated|not in the valid range|not in any of the configured/.test(
    body?.message ?? '',
  );
}

const establishTries = 60;

/** Waits until custom resources of a new definition can be created: half a minute at most. */
async function untilEstablished(
  client: ClusterClient,
  at: ObjectLocation,
  { retry }: CreateOptions,
): Promise<void> {
  const { defaultRetryPolicy } = await import('../../cluster/connection/retry.ts');
  const { sleep } = retry ?? defaultRetryPolicy;
  const object = { apiVersion: '', kind: at.type.kind, uid: '', ...at };
  for (let attempt = 0; attempt < establishTries; attempt++) {
    const fetched = await fetchOne(client, { object, type: at.type }, { retry });
    if ('manifest' in fetched && isEstablished(fetched.manifest)) return;
    await sleep(500);
  }
}

function isEstablished({ status }: KubeObject): boolean {
  const conditions = jsonOf(status)?.conditions;
  if (!Array.isArray(conditions)) return false;
  return conditions.some(({ type, status }) => type === 'Established' && status === 'True');
}

/**
 * Makes a PersistentVolume forget the uid of a claim that is gone, and keeps it reserved for the
 * claim of that name. Returns why it could not, or undefined.
 */
export async function releaseVolume(
  client: ClusterClient,
  volume: ObjectLocation,
  claim: Pick<ObjectLocation, 'namespace' | 'name'> & { readonly uid: string },
  options: CreateOptions,
): Promise<string | undefined> {
  const object = { apiVersion: 'v1', kind: volume.type.kind, uid: '', ...volume };
  const fetched = await fetchOne(client, { object, type: volume.type }, { retry: options.retry });
  if (!('manifest' in fetched)) return fetched.message;
  const claimRef = jsonOf(jsonOf(fetched.manifest.spec)?.claimRef);
  if (claimRef?.uid === undefined) return undefined;
  const isFor = claimRef.namespace === claim.namespace && claimRef.name === claim.name;
  if (!isFor || claimRef.uid !== claim.uid) {
    return `the volume ${volume.name} is used by another claim now`;
  }
  const path = '/spec/claimRef/uid';
  const answer = await sendWrite(
    client,
    {
      method: 'PATCH',
      path: `${objectPath(volume.type, '', volume.name)}?fieldManager=kubectl-gc${options.dryRun ? '&dryRun=All' : ''}`,
      headers: { 'content-type': 'application/json-patch+json', accept: 'application/json' },
      body: JSON.stringify([
        { op: 'test', path, value: claimRef.uid },
        { op: 'remove', path },
      ]),
    },
    options,
  );
  return answer.status < 300 ? undefined : messageOf(answer);
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
  const { defaultRetryPolicy } = await import('../../cluster/connection/retry.ts');
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
  const object = { ...referenceTo(saved), uid: '' };
  const fetched = await fetchOne(client, { object, type: saved.type }, { retry });
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

import { wrongVolume } from '../backup/bring-back-volume.ts';
import type { PlannedRestoration } from '../backup/planned-restoration.ts';
import { type Coordinates, identityOf, keyOf } from '../backup/saved-object.ts';
import type { ClusterClient } from '../client/cluster-client.ts';
import { objectPath } from '../kube/object-path.ts';
import { jsonOf } from '../snapshot/json-value.ts';
import { inParallel } from '../sources/cluster/in-parallel.ts';
import { fetchOne } from './fetch-manifests.ts';
import type { CreateOptions } from './restore-create.ts';
import { messageOf, sendWrite } from './restore-request.ts';

/**
 * Makes a PersistentVolume forget the uid of a claim that is gone, and keeps it reserved for the
 * claim of that name. Answers why it could not, or undefined.
 */
export async function releaseVolume(
  client: ClusterClient,
  volume: Coordinates,
  claim: Pick<Coordinates, 'namespace' | 'name'> & { readonly uid: string },
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
 * Waits until claims are bound to the volumes that they must have, half a minute at most. Answers
 * what is wrong with the others, by key.
 */
export async function volumeFaults(
  restored: readonly PlannedRestoration[],
  client: ClusterClient,
  { retry }: CreateOptions,
): Promise<ReadonlyMap<string, string>> {
  const { defaultRetryPolicy } = await import('../client/retry.ts');
  const { sleep } = retry ?? defaultRetryPolicy;
  const faults = new Map<string, string>();
  let waiting = restored.filter(({ volume }) => volume !== undefined);
  for (let attempt = 0; attempt < bindingTries && waiting.length > 0; attempt++) {
    if (attempt > 0) await sleep(bindingPause);
    const answers = await inParallel(waiting, atOnce, async (planned) => {
      const { fault, isPending } = await stateOfClaim(planned, client, retry);
      if (fault === undefined) faults.delete(keyOf(planned.saved));
      else faults.set(keyOf(planned.saved), fault);
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
  const object = { ...identityOf(saved), uid: '' };
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

import { objectPath } from '../../cluster/api-path.ts';
import type { ClusterClient } from '../../cluster/connection/cluster-client.ts';
import {
  type FetchedManifest,
  fetchManifests,
  fetchOne,
  type WantedManifest,
} from '../../cluster/list/fetch-manifests.ts';
import { defaultRetryPolicy } from '../../cluster/pacing.ts';
import type { Clearance } from '../../cluster/write/clearance.ts';
import { rehearse } from '../../cluster/write/rehearse.ts';
import { type SendOptions, sendWrite } from '../../cluster/write/send-write.ts';
import type { WriteAnswer } from '../../cluster/write/write-answer.ts';
import { textOf } from '../../kube/json-value.ts';
import { type ObjectLocation, referenceToPlace } from '../../kube/object-reference.ts';
import type { KubeObject } from '../../kube/record-codec.ts';
import { type Found, LiveObjects, uidOf } from '../plan/live-objects.ts';
import type { OwnerLookup } from '../relink/relink.ts';

export type TargetOptions = Pick<SendOptions, 'retry' | 'signal'> & {
  /** Called where something is waited for, with what it is. */
  readonly onWait?: ((what: string) => void) | undefined;
} & (
    | { readonly dryRun: false; readonly clearance: Clearance<'restoration'> }
    /** The server checks everything and stores nothing. */
    | { readonly dryRun: true; readonly clearance?: undefined }
  );

type RestoringWrite = Parameters<Clearance<'restoration'>['covers']>[0];

/** What came of a patch. */
export interface PatchedObject {
  /** exists: there was nothing to change. */
  readonly outcome: 'patched' | 'exists' | 'refused';
  readonly uid?: string;
  readonly message?: string;
  /** What is there, unless it was refused. */
  readonly object?: KubeObject;
}

interface LookUpOptions {
  readonly onProgress?: (done: number) => void;
  /** Metadata is enough. */
  readonly isBare?: boolean;
}

interface PatchOptions {
  /** What was read of it already. */
  readonly known?: KubeObject | undefined;
  readonly subresource?: 'status';
  /** Who is to manage the fields that are set; unset: we do. */
  readonly manager?: string | undefined;
}

const patchTries = 5;
const pause = 500;

/** The cluster that a restoration asks and writes to. */
export class RestoreTarget {
  readonly options: TargetOptions;
  readonly #client: ClusterClient;

  constructor(client: ClusterClient, options: TargetOptions = { dryRun: true }) {
    this.#client = client;
    this.options = options;
  }

  /** What is at a place; where that cannot be had, why. */
  async look(at: ObjectLocation): Promise<KubeObject | string> {
    const { retry } = this.options;
    const fetched = await fetchOne(this.#client, wantedAt(at), { retry });
    return 'manifest' in fetched ? fetched.manifest : fetched.message;
  }

  /** Asks for everything that a restoration depends on. Kinds that are not served yet have no objects. */
  async lookUp(
    places: readonly ObjectLocation[],
    lookup: OwnerLookup,
    { onProgress, isBare = false }: LookUpOptions = {},
  ): Promise<LiveObjects> {
    const live = new LiveObjects();
    const wanted: WantedManifest[] = [];
    for (const place of places) {
      if (lookup.isServed(place.type)) wanted.push(wantedAt(place));
      else live.set(place, { found: 'nothing' });
    }
    let done = 0;
    const take = async (fetched: FetchedManifest) => {
      const { type, object } = fetched.wanted;
      live.set({ ...object, type }, foundBy(fetched));
      onProgress?.(++done);
    };
    const { retry } = this.options;
    await fetchManifests(this.#client, wanted, take, {
      retry,
      trustsLists: true,
      isBare: () => isBare,
    });
    return live;
  }

  /** Sends one request; throws where the server cannot be reached. */
  async send(write: RestoringWrite, waitsFor?: SendOptions['waitsFor']): Promise<WriteAnswer> {
    const { clearance, retry, signal } = this.options;
    const options = { retry, signal, ...(waitsFor && clearance && { waitsFor }) };
    const sending = clearance
      ? sendWrite(this.#client, clearance.covers(write), options)
      : rehearse(this.#client, write, options);
    const answer = await sending;
    if (answer.error !== undefined) throw answer.error;
    return answer;
  }

  /**
   * Patches what is at a place, guarded by uid and resourceVersion, and again where it has changed meanwhile. `patchOf`
   * may return the reason why it is not patched.
   */
  async patch(
    at: ObjectLocation,
    expectedUid: string | undefined,
    patchOf: (live: KubeObject) => readonly object[] | string,
    { known, subresource, manager }: PatchOptions = {},
  ): Promise<PatchedObject> {
    for (let attempt = 1; ; attempt++) {
      const live = (attempt === 1 && known) || (await this.look(at));
      if (typeof live === 'string') return { outcome: 'refused', message: live };
      const uid = uidOf(live);
      const body = patchOf(live);
      if (typeof body === 'string') return { outcome: 'refused', uid, message: body };
      if (expectedUid !== undefined && uid !== expectedUid) {
        return { outcome: 'refused', uid, message: 'another object has its name now' };
      }
      if (body.length === 0) return { outcome: 'exists', uid, object: live };
      const object = objectPath(at.type, at.namespace, at.name);
      const path = subresource ? `${object}/${subresource}` : object;
      const guards = { uid, resourceVersion: textOf(live.metadata.resourceVersion) };
      const write = { verb: 'patch', patchType: 'json', path, guards, body, manager } as const;
      const { outcome, message, object: made } = await this.send(write);
      if (outcome === 'done') {
        return { outcome: 'patched', uid, ...(made && { object: made as KubeObject }) };
      }
      if (outcome !== 'changed' || attempt >= patchTries) {
        return { outcome: 'refused', uid, message };
      }
    }
  }

  /** Asks again, half a second later each time, until it is so; answers what was said last. */
  async until<T>(
    tries: number,
    ask: () => Promise<T>,
    isSo: (answer: T) => boolean | undefined,
  ): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const answer = await ask();
      if (isSo(answer) || attempt >= tries) return answer;
      await this.sleep(pause);
    }
  }

  async sleep(milliseconds: number): Promise<void> {
    await (this.options.retry ?? defaultRetryPolicy).sleep(milliseconds);
  }
}

/** Whatever object is at a place, to be read whole. */
function wantedAt(place: ObjectLocation): WantedManifest {
  return { object: referenceToPlace(place), type: place.type };
}

function foundBy(fetched: FetchedManifest): Found {
  if ('manifest' in fetched) return { found: 'object', manifest: fetched.manifest };
  return fetched.unread === 'gone'
    ? { found: 'nothing' }
    : { found: 'unknown', message: fetched.message };
}

import type { ClusterClient } from '../../cluster/connection/cluster-client.ts';
import { inParallel } from '../../cluster/in-parallel.ts';
import { isGcError } from '../../errors.ts';
import type { OwnerReference } from '../../kube/object-record.ts';
import { locationKey } from '../../kube/object-reference.ts';
import type { KubeObject } from '../../kube/record-codec.ts';
import type { ResourceTypes } from '../../kube/resource-types.ts';
import {
  type PlannedRestoration,
  pendingOwners,
  type ReleasedVolume,
  type RelinkedReference,
  type RestoredObject,
  type RestoreOutcome,
} from '../plan/restoration.ts';
import { hasSameContent, namesOf } from '../relink/missing-references.ts';
import { createObject, restoreManagers } from './create-object.ts';
import { RestoreTarget, type TargetOptions } from './restore-target.ts';
import { checkRestored, releaseVolume, relinkObject } from './restored-links.ts';

export interface RestoreResult extends Pick<RestoredObject, 'message' | 'newUid'> {
  readonly outcome: RestoreOutcome;
}

/** After `signal` nothing more is sent; what is on its way is waited for. */
export interface RestoreRunOptions extends TargetOptions {
  readonly onResult?: (planned: PlannedRestoration, result: RestoreResult) => void;
  /** What the server serves when all is sent; undefined: the same as before. */
  readonly discover?: () => Promise<ResourceTypes>;
}

const atOnce = 8;

/**
 * Performs what was planned, wave by wave. An object that the server refuses stops only those that
 * need it. Returns the outcome for each object, by key.
 */
export async function restore(
  planned: readonly PlannedRestoration[],
  client: ClusterClient,
  types: ResourceTypes,
  options: RestoreRunOptions,
): Promise<ReadonlyMap<string, RestoreResult>> {
  const run = new RestoreRun(client, types, options);
  const todo = planned.filter(({ action }) => action === 'create' || action === 'relink');
  const waves = [...new Set(todo.map(({ wave }) => wave))].sort((a, b) => a - b);
  for (const wave of waves) {
    const created = todo.filter((one) => one.wave === wave && one.action === 'create');
    await inParallel(created, atOnce, (one) => run.attempt(one, () => run.create(one)));
  }
  const unlinked = todo.filter((one) => one.action === 'relink' || run.isPending(one));
  await inParallel(unlinked, atOnce, (one) => run.attempt(one, () => run.relink(one)));
  await run.check(planned);
  return run.results;
}

class RestoreRun {
  readonly results = new Map<string, RestoreResult>();
  readonly #target: RestoreTarget;
  readonly #types: ResourceTypes;
  readonly #options: RestoreRunOptions;
  readonly #pending = new Set<string>();
  /** What somebody else has created meanwhile, with other content. */
  readonly #foreign = new Set<string>();
  /** The server cannot be reached any more: nothing else needs to be tried. */
  #isOver = false;

  constructor(client: ClusterClient, types: ResourceTypes, options: RestoreRunOptions) {
    this.#target = new RestoreTarget(client, options);
    this.#types = types;
    this.#options = options;
  }

  isPending({ saved }: PlannedRestoration): boolean {
    return this.#pending.has(locationKey(saved));
  }

  async attempt(planned: PlannedRestoration, work: () => Promise<RestoreResult>): Promise<void> {
    const key = locationKey(planned.saved);
    if (this.#options.signal?.aborted || this.#isOver) {
      // One that was created and waits for a reference was tried.
      if (!this.results.has(key)) this.results.set(key, { outcome: 'not-tried' });
      return;
    }
    let result: RestoreResult;
    try {
      result = await work();
    } catch (error) {
      if (!isGcError(error)) throw error;
      this.#isOver = true;
      result = { outcome: 'refused', message: error.message };
    }
    this.results.set(key, result);
    this.#options.onResult?.(planned, result);
  }

  async create(planned: PlannedRestoration): Promise<RestoreResult> {
    const { saved, manifest, references, release } = planned;
    if (!manifest) return { outcome: 'refused', message: 'there is no manifest' };
    const { now, later, lost } = this.#sort(planned);
    const wasOwned = references.some(({ end }) => end === 'solid');
    if (wasOwned && now.length === 0 && later.length === 0) {
      const message = `not created: ${namesOf(lost)} was not created, and the garbage collector would delete it without an owner`;
      return { outcome: 'refused', message };
    }
    if (release !== undefined) {
      const problem = await this.#release(release);
      if (problem !== undefined) return { outcome: 'refused', message: problem };
    }
    const owned = withReferences(manifest, now, later);
    const created = await createObject(this.#target, saved, owned);
    const { outcome, uid, live } = created;
    const isOther = live && !hasSameContent(saved.type, manifest, live);
    // One with other content is left as it is.
    if (isOther) this.#foreign.add(locationKey(saved));
    if (outcome === 'created' ? later.length > 0 : live && !isOther && references.length > 0) {
      this.#pending.add(locationKey(saved));
    }
    const { fieldManagers = [] } = saved;
    const isManaged = fieldManagers.length > 0 && !this.#options.dryRun;
    const unmanaged =
      outcome === 'created' && isManaged
        ? await restoreManagers(this.#target, saved, created, fieldManagers)
        : undefined;
    // It is there anyway.
    const fault = unmanaged && `its field managers were not restored: ${unmanaged}`;
    const said = isOther ? `${created.message}, with other content` : created.message;
    const message = [said, fault].filter((part) => part !== undefined).join('; ');
    return {
      outcome,
      ...(message !== '' && { message }),
      ...(uid !== undefined && { newUid: uid }),
    };
  }

  async relink(planned: PlannedRestoration): Promise<RestoreResult> {
    const before = this.results.get(locationKey(planned.saved));
    // A rehearsal has stored nothing that could be patched.
    if (before && this.#options.dryRun) return before;
    const solid = planned.references.filter(({ end }) => end === 'solid');
    const missing = solid.filter((relinked) => !this.#current(relinked));
    const wanted = solid.flatMap((relinked) => {
      const reference = this.#current(relinked);
      return reference ? { reference, staleUid: relinked.told.from } : [];
    });
    const { outcome, uid, message } = await relinkObject(
      this.#target,
      planned.saved,
      wanted,
      before?.newUid ?? planned.liveUid,
      missing.length > 0,
    );
    const newUid = uid === undefined ? {} : { newUid: uid };
    if (outcome === 'refused') {
      const why = message ?? 'the server refused it';
      if (!before) return { outcome, message: why, ...newUid };
      return { outcome: 'faulty', message: `it did not get its owners: ${why}`, ...newUid };
    }
    if (missing.length > 0) {
      const why = `it is there, but not owned by ${namesOf(missing)}, which was not restored: run this again`;
      return { outcome: 'faulty', message: why, ...newUid };
    }
    const done = outcome === 'patched' ? 'relinked' : outcome;
    return before ? { ...before, ...newUid } : { outcome: done, ...newUid };
  }

  /**
   * The restoration is done only once everything has been judged as the garbage collector will
   * judge it.
   */
  async check(planned: readonly PlannedRestoration[]): Promise<void> {
    const { dryRun, signal, discover = async () => this.#types } = this.#options;
    if (dryRun || signal?.aborted || this.#isOver) return;
    const restored = planned.filter(({ saved, action }) => {
      const outcome = this.results.get(locationKey(saved))?.outcome ?? action;
      return outcome === 'created' || outcome === 'relinked' || outcome === 'exists';
    });
    if (restored.length === 0) return;
    let faults: ReadonlyMap<string, string>;
    try {
      faults = await checkRestored(
        restored.map((one) => ({ planned: one, ownUid: this.#ownUid(one) })),
        this.#target,
        discover,
      );
    } catch (error) {
      if (!isGcError(error)) throw error;
      const message = `it could not be checked whether it stays: ${error.message}`;
      const ours = restored.filter(({ action }) => action !== 'exists');
      faults = new Map(ours.map(({ saved }) => [locationKey(saved), message]));
    }
    for (const one of restored) {
      const message = faults.get(locationKey(one.saved));
      if (message === undefined) continue;
      const before = this.results.get(locationKey(one.saved));
      const result: RestoreResult = { ...before, outcome: 'faulty', message };
      this.results.set(locationKey(one.saved), result);
      this.#options.onResult?.(one, result);
    }
  }

  /** Of an object that was created or re-linked; undefined for what is only looked at. */
  #ownUid({ saved, action }: PlannedRestoration): string | undefined {
    const key = locationKey(saved);
    if (action === 'exists' || this.#foreign.has(key)) return undefined;
    return this.results.get(key)?.newUid;
  }

  /** A reference with the uid its owner has now; undefined while there is none. */
  #current({ reference, told, owner, end }: RelinkedReference): OwnerReference | undefined {
    if (end !== 'solid' || told.to !== '') return reference;
    const uid = owner === undefined ? undefined : this.results.get(owner)?.newUid;
    return uid === undefined ? undefined : { ...reference, uid };
  }

  /** References that can be set now, those that come later, and those whose owner did not come. */
  #sort({ references, later }: PlannedRestoration) {
    const kept = references.filter(({ end }) => end !== 'gone');
    const waiting = kept.filter((relinked) => this.#current(relinked) === undefined);
    const comesLater = ({ owner }: RelinkedReference) => owner !== undefined && later.has(owner);
    return {
      now: kept.flatMap((relinked) => this.#current(relinked) ?? []),
      later: waiting.filter(comesLater),
      lost: waiting.filter((relinked) => !comesLater(relinked)),
    };
  }

  async #release({ name, claimUid }: ReleasedVolume): Promise<string | undefined> {
    const type = this.#types.find('v1', 'PersistentVolume');
    if (!type) return 'the server does not serve PersistentVolumes';
    const volume = { type, namespace: '', name };
    return releaseVolume(this.#target, volume, claimUid);
  }
}

function withReferences(
  manifest: KubeObject,
  now: readonly OwnerReference[],
  later: readonly RelinkedReference[],
): KubeObject {
  const metadata: Record<string, unknown> = { ...manifest.metadata };
  if (now.length > 0) metadata.ownerReferences = now;
  if (later.length > 0) {
    const owners = later.map(({ told }) => `${told.kind}/${told.name}`).join(',');
    metadata.annotations = { ...Object(metadata.annotations), [pendingOwners]: owners };
  }
  return { ...manifest, metadata };
}

import { objectPath } from '../../cluster/api-path.ts';
import type { ClusterClient } from '../../cluster/connection/cluster-client.ts';
import { inParallel } from '../../cluster/in-parallel.ts';
import { isInEveryNamespace } from '../../controllers/bookkeeping.ts';
import { isGcError } from '../../errors.ts';
import { volumeType } from '../../kube/core-types.ts';
import { fieldAt } from '../../kube/json-value.ts';
import type { OwnerReference } from '../../kube/object-record.ts';
import { inWords, locationKey, type ObjectLocation } from '../../kube/object-reference.ts';
import type { KubeObject } from '../../kube/record-codec.ts';
import type { ResourceTypes } from '../../kube/resource-types.ts';
import { isNamespace } from '../../kube/well-known-kinds.ts';
import type { SavedObject } from '../backup/saved-object.ts';
import { restoredKind } from '../kinds/restored-kinds.ts';
import { givenContent, wrongVolume } from '../plan/prepare-manifest.ts';
import {
  type PlannedRestoration,
  pendingOwners,
  type ReleasedVolume,
  type RelinkedReference,
  type RestoredObject,
  type RestoreOutcome,
} from '../plan/restoration.ts';
import { soleManager } from '../relink/field-managers.ts';
import { hasGivenContent, hasSameContent, ownerNames } from '../relink/missing-references.ts';
import {
  applyContent,
  type CreatedObject,
  createObject,
  restoreManagers,
  restoreStatus,
} from './create-object.ts';
import { RestoreTarget, type TargetOptions } from './restore-target.ts';
import { checkRestored, releaseVolume, relinkObject } from './restored-links.ts';

export interface RestoreResult extends Pick<RestoredObject, 'message' | 'newUid'> {
  readonly outcome: Exclude<RestoreOutcome, 'same' | 'differs' | 'missing' | 'unknown'>;
}

/** After `signal` nothing more is sent; what is on its way is waited for. */
export type RestoreRunOptions = TargetOptions & {
  readonly onResult?: (planned: PlannedRestoration, result: RestoreResult) => void;
  /** What the server serves when all is sent; undefined: the same as before. */
  readonly discover?: () => Promise<ResourceTypes>;
};

/** With fewer, the API server waits for the client between two requests. */
const writesAtOnce = 24;

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
  const todo = planned.filter(isToDo);
  const waves = [...new Set(todo.map(({ wave }) => wave))].sort((a, b) => a - b);
  for (const wave of waves) {
    const created = todo.filter((one) => one.wave === wave && one.action !== 'relink');
    await inParallel(created, writesAtOnce, (one) => run.attempt(one, () => run.create(one)));
    if (wave !== waves.at(-1)) await run.untilSeen(created);
  }
  const unlinked = todo.filter((one) => one.action === 'relink' || run.isPending(one));
  await inParallel(unlinked, writesAtOnce, (one) => run.attempt(one, () => run.relink(one)));
  await run.check(planned);
  return run.results;
}

/** The paths of all that a restoration may change: the objects that are planned, and the volumes that it releases for claims. */
export function restoredPaths(planned: readonly PlannedRestoration[]): string[] {
  return planned.flatMap(({ saved: { type, namespace, name }, release }) => [
    objectPath(type, namespace, name),
    ...(release ? [objectPath(volumeType, '', release.name)] : []),
  ]);
}

/** Is anything sent for it? */
export function isToDo({ action }: Pick<PlannedRestoration, 'action'>): boolean {
  return action === 'create' || action === 'patch' || action === 'relink';
}

/** Milliseconds: API servers look for admission policies once a second (policyRefreshIntervalDefault, policy_source.go). */
const untilWatched = 2_000;

const isRestored: ReadonlySet<string> = new Set(['created', 'relinked', 'patched', 'exists']);

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

  /** Leaves API servers the time to learn of what decides about all that is created after it. */
  async untilSeen(created: readonly PlannedRestoration[]): Promise<void> {
    const { dryRun, signal, onWait } = this.#options;
    const read = created.filter(
      ({ saved }) =>
        restoredKind(saved.type).isReadFromWatch &&
        this.results.get(locationKey(saved))?.outcome === 'created',
    );
    const [first] = read;
    if (!first || dryRun || signal?.aborted) return;
    const more = read.length === 1 ? '' : ` and ${read.length - 1} more`;
    onWait?.(`API servers to read ${inWords(first.saved)}${more}`);
    await this.#target.sleep(untilWatched);
  }

  async create(planned: PlannedRestoration): Promise<RestoreResult> {
    const { saved, manifest, references, release, liveUid } = planned;
    if (!manifest) return { outcome: 'refused', message: 'there is no manifest' };
    if (planned.action === 'patch') return this.#patch(planned, manifest, liveUid ?? '');
    const { now, later, lost } = this.#sort(planned);
    const unmet = this.#unmet(planned) ?? this.#uncheckedOwner(lost);
    if (unmet) return unmet;
    const wasOwned = references.some(({ end }) => end === 'solid');
    if (wasOwned && now.length === 0 && later.length === 0) {
      const message = `not created: ${ownerNames(lost)} was not created, and the garbage collector would delete it without an owner`;
      return { outcome: 'refused', message };
    }
    if (release !== undefined) {
      const problem = await this.#release(release);
      if (problem !== undefined) return { outcome: 'refused', message: problem };
    }
    const owned = withReferences(manifest, now, later);
    const manager = soleManager(saved.fieldManagers);
    const created = await createObject(this.#target, saved, owned, manager);
    const { outcome, uid, live, message = '' } = created;
    const newUid = uid === undefined ? {} : { newUid: uid };
    if (outcome === 'refused') return this.#notRehearsed(planned, message) ?? { outcome, message };
    if (live && isInEveryNamespace(saved) && !hasGivenContent(saved.type, manifest, live)) {
      return this.#patch(planned, manifest, uid ?? '');
    }
    if (live && this.#isGivenToNew(saved) && !hasSameContent(saved.type, manifest, live)) {
      return this.#takeOver(planned, manifest, created);
    }
    const fault = live && otherContent(planned, live);
    if (fault !== undefined) {
      // It is left as it is.
      this.#foreign.add(locationKey(saved));
      return { outcome: 'faulty', message: `${message}, ${fault}`, ...newUid };
    }
    const isPending = outcome === 'created' ? later.length > 0 : references.length > 0;
    if (isPending) this.#pending.add(locationKey(saved));
    // It gets the rest with its references.
    if (isPending && outcome === 'created') {
      return { outcome, ...newUid, ...(message !== '' && { message }) };
    }
    return this.#withManagers(planned, created);
  }

  /** Gives what a controller has made for its namespace the saved content; a field of another manager keeps its value. */
  async #patch(planned: PlannedRestoration, manifest: KubeObject, uid: string) {
    const content = givenContent(manifest);
    const patched = await applyContent(this.#target, planned.saved, content, uid);
    return this.#withManagers(planned, patched);
  }

  /** Might a controller have made it because this run has created its namespace? */
  #isGivenToNew({ type, namespace }: SavedObject): boolean {
    if (!restoredKind(type).isGiven || this.#options.dryRun) return false;
    const at = this.#types.find('v1', 'Namespace');
    const key = at && locationKey({ type: at, namespace: '', name: namespace });
    return key !== undefined && this.results.get(key)?.outcome === 'created';
  }

  /** Gives what another client has made for the new namespace the saved content, as far as no other manager owns the values. */
  async #takeOver(
    planned: PlannedRestoration,
    manifest: KubeObject,
    { uid = '', message = '' }: CreatedObject,
  ): Promise<RestoreResult> {
    const { saved } = planned;
    const patched = await applyContent(this.#target, saved, manifest, uid);
    const isSame = patched.object && hasSameContent(saved.type, manifest, patched.object);
    if (isSame) {
      if (planned.references.length > 0) this.#pending.add(locationKey(saved));
      return this.#withManagers(planned, patched);
    }
    this.#foreign.add(locationKey(saved));
    const why = patched.message === undefined ? '' : `: ${patched.message}`;
    return { outcome: 'faulty', message: `${message}, with other content${why}`, newUid: uid };
  }

  async #withManagers(planned: PlannedRestoration, made: CreatedObject): Promise<RestoreResult> {
    const { saved, status } = planned;
    const { outcome, uid } = made;
    const { fieldManagers = [] } = saved;
    const isOurs = (outcome === 'created' || outcome === 'patched') && !this.#options.dryRun;
    const reported =
      isOurs && outcome === 'created' && status !== undefined
        ? await restoreStatus(this.#target, saved, made, status)
        : made.object;
    const hasStatus = typeof reported === 'object' && status !== undefined;
    const object = typeof reported === 'object' ? reported : made.object;
    const unmanaged =
      isOurs && fieldManagers.length > 0
        ? await restoreManagers(
            this.#target,
            saved,
            { ...made, ...(object && { object }) },
            { managers: fieldManagers, hasStatus, owners: this.#ownersOf(planned) },
          )
        : undefined;
    // It is there anyway.
    const faults = [
      typeof reported === 'string' && `its status was not restored: ${reported}`,
      unmanaged !== undefined && `its field managers were not restored: ${unmanaged}`,
    ];
    const message = [made.message, ...faults].filter((part) => part).join('; ');
    return {
      outcome,
      ...(message !== '' && { message }),
      ...(uid !== undefined && { newUid: uid }),
    };
  }

  /** What keeps an object from being created: its account or a claim with its data was refused, or a rehearsal has made no container for it. */
  #unmet({ needs }: PlannedRestoration): RestoreResult | undefined {
    for (const { at, role } of needs) {
      const key = locationKey(at);
      const isRefused = this.results.get(key)?.outcome === 'refused';
      const isWithout = isRefused || (role === 'data' && this.#foreign.has(key));
      if ((role === 'data' || role === 'account') && isWithout) {
        const message = `not created: ${inWords(at)}, which it needs, was not restored`;
        return { outcome: 'refused', message };
      }
      if (role === 'container' && this.#isRehearsed(at)) {
        return notChecked(`its ${isNamespace(at) ? 'namespace' : 'definition'} is to be created`);
      }
    }
    return undefined;
  }

  /** Would it be there now, were this no rehearsal? */
  #isRehearsed(at: ObjectLocation): boolean {
    const outcome = this.results.get(locationKey(at))?.outcome;
    return this.#options.dryRun && (outcome === 'created' || outcome === 'not-checked');
  }

  #uncheckedOwner(lost: readonly RelinkedReference[]): RestoreResult | undefined {
    const owner = lost.find((one) => this.results.get(one.owner ?? '')?.outcome === 'not-checked');
    return owner && notChecked(`its owner ${ownerNames([owner])} is to be created`);
  }

  /** A rehearsal has not made what the server does not find. */
  #notRehearsed({ needs }: PlannedRestoration, message: string): RestoreResult | undefined {
    if (!/\bnot found\b/.test(message)) return undefined;
    const missing = needs.find(
      ({ at }) => message.includes(`"${at.name}"`) && this.#isRehearsed(at),
    );
    return missing && notChecked(`${inWords(missing.at)} is to be created`);
  }

  async relink(planned: PlannedRestoration): Promise<RestoreResult> {
    const before = this.results.get(locationKey(planned.saved));
    // A rehearsal has stored nothing that could be patched.
    if (before && this.#options.dryRun) return before;
    const solid = planned.references.filter(({ end }) => end === 'solid');
    const missing = solid.filter((relinked) => !this.#current(relinked));
    const unchecked = this.#uncheckedOwner(missing);
    if (unchecked) return unchecked;
    const wanted = solid.flatMap((relinked) => {
      const reference = this.#current(relinked);
      return reference ? { reference, staleUid: relinked.told.from } : [];
    });
    const { outcome, uid, message, object } = await relinkObject(
      this.#target,
      planned.saved,
      wanted,
      {
        expectedUid: before?.newUid ?? planned.liveUid,
        isIncomplete: missing.length > 0,
        manager: soleManager(planned.saved.fieldManagers),
      },
    );
    const newUid = uid === undefined ? {} : { newUid: uid };
    if (outcome === 'refused') {
      const why = message ?? 'the server refused it';
      if (!before) return { outcome, message: why, ...newUid };
      return { outcome: 'faulty', message: `it did not get its owners: ${why}`, ...newUid };
    }
    if (missing.length > 0) {
      const why = `it is there, but not owned by ${ownerNames(missing)}, which was not restored: run this again`;
      return { outcome: 'faulty', message: why, ...newUid };
    }
    const isOurs = before?.outcome === 'created' || planned.isUnfinished;
    const made: CreatedObject = {
      outcome: 'created',
      ...(uid && { uid }),
      ...(object && { object }),
    };
    const { message: fault } = isOurs ? await this.#withManagers(planned, made) : {};
    const done = outcome === 'patched' || planned.isUnfinished ? 'relinked' : outcome;
    const ended: RestoreResult = before ? { ...before, ...newUid } : { outcome: done, ...newUid };
    return fault === undefined ? ended : { ...ended, message: fault };
  }

  /**
   * The restoration is done only once everything has been judged as the garbage collector will
   * judge it.
   */
  async check(planned: readonly PlannedRestoration[]): Promise<void> {
    const { dryRun, signal, discover = async () => this.#types } = this.#options;
    if (dryRun || signal?.aborted || this.#isOver) return;
    const restored = planned.filter(({ saved, action }) => {
      const key = locationKey(saved);
      return isRestored.has(this.results.get(key)?.outcome ?? action) || this.#foreign.has(key);
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

  /** The uids that owners have now, by those that they had. */
  #ownersOf({ references }: PlannedRestoration): ReadonlyMap<string, string> {
    return new Map(
      references.flatMap((relinked): [string, string][] => {
        const now = relinked.told.change === 'dropped' ? undefined : this.#current(relinked);
        return now ? [[relinked.told.from, now.uid]] : [];
      }),
    );
  }

  /** References that can be set now, those that come later, and those whose owner did not come. */
  #sort({ references, later }: PlannedRestoration) {
    const kept = references.filter(({ told }) => told.change !== 'dropped');
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

/** What differs in an object that another client has created. */
function otherContent(
  { saved, manifest, volume }: PlannedRestoration,
  live: KubeObject,
): string | undefined {
  if (isInEveryNamespace(saved)) return undefined;
  if (manifest && !hasSameContent(saved.type, manifest, live)) return 'with other content';
  const has = fieldAt(live, 'spec.volumeName');
  return volume === undefined || has === volume ? undefined : wrongVolume(has, volume);
}

const notChecked = (why: string): RestoreResult => ({
  outcome: 'not-checked',
  message: `not checked: ${why}`,
});

function withReferences(
  manifest: KubeObject,
  now: readonly OwnerReference[],
  later: readonly RelinkedReference[],
): KubeObject {
  const metadata: Record<string, unknown> = { ...manifest.metadata };
  if (now.length > 0) metadata.ownerReferences = now;
  // A Deployment's are copied to its ReplicaSet, where no client removes them (SetNewReplicaSetAnnotations, deployment_util.go).
  if (later.length > 0 && manifest.kind !== 'Deployment') {
    const owners = later.map(({ told }) => `${told.kind}/${told.name}`).join(',');
    metadata.annotations = { ...Object(metadata.annotations), [pendingOwners]: owners };
  }
  return { ...manifest, metadata };
}

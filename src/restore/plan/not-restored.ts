import { isInEveryNamespace } from '../../controllers/bookkeeping.ts';
import { fieldAt, jsonOf } from '../../kube/json-value.ts';
import { inWords, type ObjectLocation } from '../../kube/object-reference.ts';
import { type KubeObject, recordOf } from '../../kube/record-codec.ts';
import type { ResourceType } from '../../kube/resource-type.ts';
import { phaseOf, type SavedObject } from '../backup/saved-object.ts';
import { cannot, type RestoreOptions, skip } from '../kinds/restored-kind.ts';
import { restoredKind } from '../kinds/restored-kinds.ts';
import { hasGivenContent } from '../relink/missing-references.ts';
import type { OwnerLookup } from '../relink/relink.ts';
import { type FoundObject, isTerminating, type LiveObjects, uidOf } from './live-objects.ts';
import { boundClaim } from './needs.ts';
import type { RestoreAction } from './restoration.ts';

export interface Decision {
  readonly action: RestoreAction;
  readonly because: string;
  /** It was being deleted already, or was to be deleted with such an object. */
  readonly wasTerminating?: true;
}

/**
 * The flags without which no restore creates an object again; undefined where none does, whatever becomes of its owners.
 */
export function flagsToRestore(
  type: ResourceType,
  manifest: KubeObject,
  isOfFix = false,
): readonly string[] | undefined {
  const phase = phaseOf(manifest);
  const record = recordOf(manifest, type);
  const saved = { ...record, phase, manifest, fault: undefined };
  const isNotRestored = (options: RestoreOptions) =>
    restoredKind(type).never?.(saved, options) !== undefined;
  if (isNotRestored({ finished: true })) return undefined;
  return [
    ...(isNotRestored({}) ? ['--finished'] : []),
    ...(record.deletionTimestamp === undefined || isOfFix ? [] : ['--terminating']),
  ];
}

/** The flags with which a restore creates some of these objects: none, where one of them needs none. */
export function fewestFlags(needed: Iterable<readonly string[]>): readonly string[] {
  const all = [...needed];
  return all.some((flags) => flags.length === 0) ? [] : [...new Set(all.flat())].sort();
}

interface DecisionContext extends RestoreOptions {
  readonly lookup: OwnerLookup;
  readonly live: LiveObjects;
}

/** Whether an object can be created as far as it is only about itself: owners and namespaces come later. */
export function firstDecision(saved: SavedObject, context: DecisionContext): Decision {
  const { live, lookup } = context;
  const found = live.at(saved);
  if (found.found === 'object') {
    if (isTerminating(found.manifest)) {
      return cannot('it is still being deleted; restore it afterwards');
    }
    return isToPatch(saved, found)
      ? { action: 'patch', because: 'it was created again for its namespace, with other content' }
      : { action: 'exists', because: 'it already exists' };
  }
  const { type, fault, manifest } = saved;
  if (saved.isTerminating && !context.terminating) {
    return { ...skip(`${wasTerminating}; --terminating creates it`), wasTerminating: true };
  }
  if (fault !== undefined) return cannot(fault);
  if (manifest === undefined) {
    return skip('it was not deleted with the others, so the backup does not hold it');
  }
  const { apiVersion } = manifest;
  if (!lookup.typeOf(apiVersion, type.kind)) {
    return cannot(
      `the server does not serve ${apiVersion} ${type.kind}, and no definition of it was saved`,
    );
  }
  if (found.found === 'unknown') {
    return cannot(`it is unknown whether it is there: ${found.message}`);
  }
  return (
    claimUnknown(saved, context) ??
    neverRestored(saved, context) ??
    claimedOtherwise(saved, context) ?? { action: 'create', because: 'it is not there' }
  );
}

/**
 * A volume whose claim could not be read: without the claim its storage may be lost, and the claim is lost if it is there
 * and the volume is not reserved for its uid (syncBoundClaim, pv_controller.go).
 */
function claimUnknown(saved: SavedObject, { live, lookup }: DecisionContext): Decision | undefined {
  const claim = boundClaim(saved, lookup);
  if (!claim) return undefined;
  const found = live.at(claim);
  if (found.found !== 'unknown') return undefined;
  return cannot(`it is unknown whether ${inWords(claim)} is there: ${found.message}`);
}

/** A volume whose claim is there was never released: it has its storage. */
function neverRestored(saved: SavedObject, context: DecisionContext): Decision | undefined {
  if (hasClaim(saved, context)) return undefined;
  return restoredKind(saved.type).never?.(saved, context);
}

/** Is the claim there that a PersistentVolume was bound to? */
export function hasClaim(
  saved: SavedObject,
  { lookup, live }: Pick<DecisionContext, 'lookup' | 'live'>,
): boolean {
  const claim = boundClaim(saved, lookup);
  const found = claim && live.at(claim);
  const uid = fieldAt(saved.manifest, 'spec.claimRef.uid');
  return found?.found === 'object' && uid !== undefined && uid === uidOf(found.manifest);
}

/** Was the namespace given another one, without what the saved one had? */
function isToPatch(saved: SavedObject, { manifest: live, partly }: FoundObject): boolean {
  if (!isInEveryNamespace(saved) || !saved.manifest || partly) return false;
  if (saved.uid === '' || saved.uid === uidOf(live)) return false;
  return !hasGivenContent(saved.type, saved.manifest, live);
}

const wasTerminating = 'it was being deleted already when it was saved';

/** What was to be deleted with an object that was being deleted already. */
export function terminatingWith(container: ObjectLocation): Decision {
  const because = `${inWords(container)} was being deleted already when it was saved, and this with it; --terminating creates both`;
  return { ...skip(because), wasTerminating: true };
}

/** A PersistentVolume whose claim has got another volume meanwhile. */
function claimedOtherwise(saved: SavedObject, { live, lookup }: DecisionContext) {
  const claim = boundClaim(saved, lookup);
  if (!claim) return undefined;
  const found = live.at(claim);
  if (found.found !== 'object') return undefined;
  const volume = jsonOf(found.manifest.spec)?.volumeName;
  if (volume === undefined || volume === '' || volume === saved.name) return undefined;
  return cannot(`${inWords(claim)} uses the volume ${volume} now`);
}

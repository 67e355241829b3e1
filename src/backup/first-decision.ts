import { jsonOf } from '../snapshot/json-value.ts';
import { type Found, isTerminating, type LiveObjects } from './live-objects.ts';
import { notRestoredKind, type RestoreOptions } from './not-restored.ts';
import type { OwnerLookup } from './owner-lookup.ts';
import type { RestoreAction } from './restoration.ts';
import { type Coordinates, inWords, keyOf, type SavedObject } from './saved-object.ts';

export interface Decision {
  readonly action: RestoreAction;
  readonly because: string;
}

export interface DecisionContext {
  readonly lookup: OwnerLookup;
  readonly live: LiveObjects;
  readonly options: RestoreOptions;
}

/** Whether an object can be created as far as it is only about itself: owners and namespaces come later. */
export function firstDecision(saved: SavedObject, context: DecisionContext): Decision {
  const { live, lookup, options } = context;
  const found = live.at(saved);
  if (found.found === 'object') return there(found);
  if (saved.fault !== undefined) return { action: 'cannot', because: saved.fault };
  if (saved.manifest === undefined) {
    return {
      action: 'skip',
      because: 'it was not deleted when the backup was written, so it is not in it',
    };
  }
  const { type } = saved;
  if (!lookup.typeOf(saved.manifest.apiVersion, type.kind)) {
    const because = `the server does not serve ${saved.manifest.apiVersion} ${type.kind}, and no definition of it was saved`;
    return { action: 'cannot', because };
  }
  if (found.found === 'unknown') {
    const because = `nobody can tell whether it is there: ${found.message}`;
    return { action: 'cannot', because };
  }
  return (
    notRestoredKind(saved, options) ??
    claimedOtherwise(saved, context) ?? { action: 'create', because: 'it is not there' }
  );
}

function there(found: Extract<Found, { found: 'object' }>): Decision {
  return isTerminating(found.manifest)
    ? {
        action: 'cannot',
        because: 'it is still being deleted: restore it when it is gone',
      }
    : { action: 'exists', because: 'it is there already' };
}

/** A PersistentVolume whose claim has got another volume meanwhile. */
function claimedOtherwise(saved: SavedObject, { live, lookup }: DecisionContext) {
  const claim = claimOf(saved, lookup);
  if (!claim) return undefined;
  const found = live.at(claim);
  if (found.found !== 'object') return undefined;
  const volume = jsonOf(found.manifest.spec)?.volumeName;
  if (volume === undefined || volume === '' || volume === saved.name) return undefined;
  const because = `${inWords(claim)} uses the volume ${volume} now`;
  return { action: 'cannot', because } as const;
}

/** The claim that a PersistentVolume was bound to. */
export function claimOf(saved: SavedObject, lookup: OwnerLookup): Coordinates | undefined {
  if (keyOf({ ...saved, name: '' }) !== 'persistentvolumes  ') return undefined;
  const claimRef = jsonOf(jsonOf(saved.manifest?.spec)?.claimRef);
  const type = lookup.typeOf('v1', 'PersistentVolumeClaim');
  if (!claimRef || !type) return undefined;
  return { type, namespace: String(claimRef.namespace ?? ''), name: String(claimRef.name ?? '') };
}

/** The volume that a PersistentVolumeClaim was bound to. */
export function volumeOf(saved: SavedObject, lookup: OwnerLookup): Coordinates | undefined {
  if (saved.type.group !== '' || saved.type.resource !== 'persistentvolumeclaims') return undefined;
  const name = jsonOf(saved.manifest?.spec)?.volumeName;
  const type = lookup.typeOf('v1', 'PersistentVolume');
  return type && typeof name === 'string' && name !== ''
    ? { type, namespace: '', name }
    : undefined;
}

/** The ServiceAccount of a token: without it the token controller deletes the Secret. */
export function accountOf(saved: SavedObject, lookup: OwnerLookup): Coordinates | undefined {
  if (saved.type.group !== '' || saved.type.resource !== 'secrets') return undefined;
  if (saved.manifest?.type !== 'kubernetes.io/service-account-token') return undefined;
  const annotations = jsonOf(saved.manifest.metadata.annotations);
  const name = annotations?.['kubernetes.io/service-account.name'];
  const type = lookup.typeOf('v1', 'ServiceAccount');
  return type && typeof name === 'string' ? { type, namespace: saved.namespace, name } : undefined;
}

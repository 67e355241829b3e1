import { fieldsOf, type Json, jsonOf, listOf, textOrEmpty } from '../../kube/json-value.ts';
import { locationKey } from '../../kube/object-reference.ts';
import type { KubeObject } from '../../kube/record-codec.ts';
import { groupResourceOf, type ResourceType } from '../../kube/resource-type.ts';
import { cleanObject, type SavedObject } from '../backup/saved-object.ts';
import type { RelinkContext } from '../relink/relink.ts';
import { isTerminating, uidOf } from './live-objects.ts';
import { volumeOf } from './not-restored.ts';
import type { PlannedRestoration } from './restoration.ts';

/** A manifest that can be created, and what is different from the saved one. */
interface PreparedManifest {
  readonly manifest: KubeObject;
  readonly notes: readonly string[];
}

type Prepare = (manifest: KubeObject) => PreparedManifest;

const preparations: Readonly<Record<string, Prepare>> = {
  namespaces: (manifest) => as({ ...manifest, spec: undefined }),
  pods: preparePod,
  'jobs.batch': prepareJob,
  secrets: prepareSecret,
  persistentvolumes: prepareVolume,
  persistentvolumeclaims: prepareClaim,
};

/**
 * What is to be sent to create an object again: without status and what the server sets, and
 * without what only held for the object that is gone. References are put in later.
 */
export function prepareManifest(type: ResourceType, saved: KubeObject): PreparedManifest {
  const clean = cleanObject(saved);
  const prepared = preparations[groupResourceOf(type)]?.(clean) ?? as(clean);
  const { ownerReferences: _, ...metadata } = prepared.manifest.metadata;
  return { ...prepared, manifest: { ...prepared.manifest, metadata } };
}

function as(manifest: KubeObject, ...notes: string[]): PreparedManifest {
  return { manifest, notes };
}

/** The scheduler chooses a node again: the old one may be gone or full. */
function preparePod(manifest: KubeObject): PreparedManifest {
  const spec = without(
    jsonOf(manifest.spec),
    'nodeName',
    'priority',
    'preemptionPolicy',
    'ephemeralContainers',
  );
  return as({ ...manifest, spec });
}

const jobLabels = ['controller-uid', 'batch.kubernetes.io/controller-uid'];

/** Selector and labels hold the uid of the Job that is gone; the API server makes new ones. */
function prepareJob(manifest: KubeObject): PreparedManifest {
  const spec = fieldsOf(manifest.spec);
  if (spec.manualSelector === true) return as(manifest);
  const template = fieldsOf(spec.template);
  return as({
    ...manifest,
    metadata: withoutLabels(manifest.metadata),
    spec: {
      ...without(spec, 'selector'),
      template: { ...template, metadata: withoutLabels(fieldsOf(template.metadata)) },
    },
  });
}

function withoutLabels(metadata: Json): Json {
  return { ...metadata, labels: without(jsonOf(metadata.labels), ...jobLabels) };
}

/** The token names the uid of the old ServiceAccount and is refused since that is gone. */
function prepareSecret(manifest: KubeObject): PreparedManifest {
  if (manifest.type !== 'kubernetes.io/service-account-token') return as(manifest);
  return as(
    { ...withoutAnnotations(manifest, ['kubernetes.io/service-account.uid']), data: undefined },
    'it gets a new token: the old one was bound to a ServiceAccount that is gone',
  );
}

/** Reserved for the claim of that name, whatever uid it has now. */
function prepareVolume(manifest: KubeObject): PreparedManifest {
  const spec = fieldsOf(manifest.spec);
  const claimRef = jsonOf(spec.claimRef);
  if (!claimRef) return as(manifest);
  const reserved = without(claimRef, 'uid', 'resourceVersion');
  return as({ ...manifest, spec: { ...spec, claimRef: reserved } });
}

const bindings = ['pv.kubernetes.io/bind-completed', 'pv.kubernetes.io/bound-by-controller'];

/** A claim that says it was bound, to a volume that does not know its uid, would be marked as lost. */
function prepareClaim(manifest: KubeObject): PreparedManifest {
  return as(withoutAnnotations(manifest, bindings));
}

/** A claim whose volume is gone: as the user wrote it, so that a new volume is provisioned for it. */
export function withoutVolume(manifest: KubeObject): KubeObject {
  const left = withoutAnnotations(manifest, ['volume.kubernetes.io/selected-node']);
  return { ...left, spec: without(jsonOf(manifest.spec), 'volumeName') };
}

function withoutAnnotations(manifest: KubeObject, names: readonly string[]): KubeObject {
  const annotations = without(jsonOf(manifest.metadata.annotations), ...names);
  return { ...manifest, metadata: { ...manifest.metadata, annotations } };
}

/** A Service without the addresses and ports that it was given and another one may have now. */
export function withoutAllocations(manifest: KubeObject): KubeObject {
  const spec = fieldsOf(manifest.spec);
  const isHeadless = spec.clusterIP === 'None';
  const ports = listOf(spec.ports, (port) => without(jsonOf(port), 'nodePort'));
  const kept = isHeadless ? spec : without(spec, 'clusterIP', 'clusterIPs');
  return { ...manifest, spec: { ...without(kept, 'healthCheckNodePort'), ports } };
}

function without(fields: Json | undefined, ...names: readonly string[]): Json | undefined {
  if (!fields) return undefined;
  const left = { ...fields };
  for (const name of names) delete left[name];
  return left;
}

interface RestoredVolume extends Pick<PlannedRestoration, 'notes' | 'volume' | 'release'> {
  readonly manifest: KubeObject;
}

/** Whether a claim gets its volume back: only if that is still there and is reserved for no other claim. */
export function bringBackVolume(
  saved: SavedObject,
  manifest: KubeObject,
  { lookup, live, toCome }: RelinkContext,
): RestoredVolume {
  const at = volumeOf(saved, lookup);
  if (!at) return { manifest, notes: [] };
  const volume = at.name;
  const kept = { manifest, notes: [], volume };
  if (toCome.has(locationKey(at))) return kept;
  const found = live.at(at);
  if (found.found === 'unknown') {
    const notes = [`whether its volume ${volume} is still there is unknown: ${found.message}`];
    return { ...kept, notes };
  }
  const without = withoutVolume(manifest);
  if (found.found === 'nothing') {
    const note = `its volume ${volume} is gone: the claim gets a new, empty volume, and the data is gone`;
    return { manifest: without, notes: [note] };
  }
  const lost = (why: string): RestoredVolume => {
    const note = `its volume ${volume} ${why}: the claim gets another volume, without its data`;
    return { manifest: without, notes: [note], volume };
  };
  if (isTerminating(found.manifest)) return lost('is being deleted');
  const { namespace, name, uid } = jsonOf(jsonOf(found.manifest.spec)?.claimRef) ?? {};
  if (name === undefined) return kept;
  if (namespace !== saved.namespace || name !== saved.name) {
    return lost(`is used by PersistentVolumeClaim ${name} in namespace ${namespace}`);
  }
  if (uid === undefined) return kept;
  const notes = [`its volume ${volume} is still there, with its data, and is bound again`];
  return { ...kept, notes, release: { name: volume, claimUid: textOrEmpty(uid) } };
}

/**
 * A claim that is there: it cannot be restored with another volume than the saved one, while that
 * one can still be had; and it may yet have to be bound.
 */
export function volumeOfExisting(
  saved: SavedObject,
  claim: KubeObject,
  { lookup, live, toCome }: RelinkContext,
): { readonly wrong: string } | { readonly volume: string } | undefined {
  const at = volumeOf(saved, lookup);
  if (!at || saved.uid === uidOf(claim)) return undefined;
  const name = jsonOf(claim.spec)?.volumeName;
  if (name === at.name) {
    return jsonOf(claim.status)?.phase === 'Bound' ? undefined : { volume: at.name };
  }
  if (!toCome.has(locationKey(at)) && live.at(at).found === 'nothing') return undefined;
  return { wrong: `it is there, but ${wrongVolume(name, at.name)}` };
}

/** Names both volumes. */
export function wrongVolume(has: unknown, saved: string): string {
  const present =
    typeof has === 'string' && has !== '' ? `with the volume ${has}` : 'without a volume';
  return `${present}, while the data is in its saved volume ${saved}`;
}

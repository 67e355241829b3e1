import { errorMessage } from '../../../errors.ts';
import { fieldsOf, type Json, jsonOf, textOrEmpty } from '../../../kube/json-value.ts';
import { parseLabelSelector } from '../../../kube/label-selector.ts';
import { segmentFault } from '../../../kube/names.ts';
import type { ObjectRecord } from '../../../kube/object-record.ts';
import type { ObjectLocation, ObjectReference } from '../../../kube/object-reference.ts';
import type { ResourceTypes } from '../../../kube/resource-types.ts';
import type { Failure } from '../../../perform/failure.ts';
import type { ManifestSource } from './load-source.ts';

/** One object that the command line, a file or a selector names, whether it is there or not. */
export interface DeletionTarget extends ObjectLocation {
  /** Its place in kubectl's order. */
  readonly position: number;
  /** The file that names it, as kubectl calls it: `web.yaml`, `STDIN`. */
  readonly source?: string;
  /** Once a list or a GET has shown it. */
  readonly record?: ObjectRecord;
  /** Why it may not be taken as it is named, such as one in another namespace, or could not be read. */
  readonly failure?: Failure;
}

export interface ResolvedTargets {
  /** In the order in which kubectl would delete them; one that is named twice is here twice. */
  readonly targets: readonly DeletionTarget[];
  /** What could not be found out: unknown kinds, unreadable documents, lists that were refused. */
  readonly failures: readonly Failure[];
  readonly notes: readonly string[];
}

export interface LoadedManifest {
  readonly source: string;
  /** In the order of the documents, lists spread out. */
  readonly objects: readonly ManifestObject[];
  readonly failures: readonly Failure[];
}

/** Reads every source, one after the other; one that cannot be read spoils no other. */
export async function loadManifests(
  sources: readonly ManifestSource[],
): Promise<readonly LoadedManifest[]> {
  const manifests: LoadedManifest[] = [];
  for (const { name, load } of sources) {
    try {
      manifests.push({ source: name, ...(await readManifest(await load(), name)) });
    } catch (error) {
      const message = errorMessage(error);
      manifests.push({ source: name, objects: [], failures: [{ message }] });
    }
  }
  return manifests;
}

export interface NamingScope {
  /** In force for what names none; empty with --all-namespaces. */
  readonly namespace: string;
  /** `--namespace` was given: no object of a file may name another. */
  readonly explicit: boolean;
}

/** The objects that manifests name, in their order. `selector` filters them, as `-l` does; field selectors do not. */
export function targetsOfFiles(
  manifests: readonly LoadedManifest[],
  types: ResourceTypes,
  { namespace, explicit }: NamingScope,
  selector: string,
): ResolvedTargets {
  const matches = parseLabelSelector(selector);
  const targets: DeletionTarget[] = [];
  const failures: Failure[] = [];
  for (const { source, objects, failures: unread } of manifests) {
    for (const object of objects) {
      const { apiVersion, kind } = object;
      // Without a version, the one that the server prefers is meant.
      const type = apiVersion === '' ? types.ofKind('', kind) : types.find(apiVersion, kind);
      if (!type) {
        failures.push(unknownKind(object, source));
        continue;
      }
      if (!matches(object.labels)) continue;
      const target = {
        type,
        namespace: type.namespaced ? object.namespace || namespace : '',
        name: object.name,
        source,
        position: targets.length,
      };
      const refusal = targetRefusal(target, explicit ? namespace : undefined);
      targets.push(refusal === undefined ? target : { ...target, failure: { message: refusal } });
    }
    failures.push(...unread);
  }
  return { targets, failures, notes: [] };
}

function unknownKind(object: ManifestObject, source: string): Failure {
  const { apiVersion, kind, name, namespace } = object;
  const what = `name: "${name}" namespace: "${namespace}" from "${source}"`;
  const noMatch = `no matches for kind "${kind}" in version "${apiVersion}"`;
  return {
    message: `resource mapping not found for ${what}: ${noMatch}\nensure CRDs are installed first`,
  };
}

function targetRefusal(
  { type, namespace, name, source }: DeletionTarget,
  required: string | undefined,
): string | undefined {
  if (type.namespaced && required !== undefined && namespace !== required) {
    return `the namespace from the provided object "${namespace}" does not match the namespace "${required}". You must pass '--namespace=${namespace}' to perform this operation.`;
  }
  if (name === '') return `error when deleting "${source}": resource name may not be empty`;
  if (type.namespaced && namespace === '') {
    return `error when deleting "${source}": an empty namespace may not be set when a resource name is provided`;
  }
  const fault = segmentFault('namespace', namespace) ?? segmentFault('resource name', name);
  return fault === undefined ? undefined : `error when deleting "${source}": ${fault}`;
}

/** What a deletion needs to know of an object in a manifest, and nothing more of it. */
interface ManifestObject extends Omit<ObjectReference, 'uid'> {
  readonly labels: Readonly<Record<string, string>>;
}

/**
 * Reads the objects of one source. What comes behind a document that cannot be read is not read, as kubectl does.
 * @internal
 */
export async function readManifest(
  bytes: Uint8Array,
  source: string,
): Promise<Omit<LoadedManifest, 'source'>> {
  const [{ readDocuments }, { objectsIn }] = await Promise.all([
    import('../../../files/read-documents.ts'),
    import('../../../files/parsing/documents.ts'),
  ]);
  const objects: ManifestObject[] = [];
  const failures: Failure[] = [];
  for (const { value, fault, line, inArray } of await readDocuments(bytes)) {
    if (fault !== undefined) {
      failures.push({ message: `error parsing ${source}: line ${line}: ${fault}` });
      break;
    }
    const found = inArray ? [] : objectsIn(value);
    // A list without objects is none that lacks a kind.
    if (found.length === 0 && !Array.isArray(jsonOf(value)?.items)) failures.push(noKind(source));
    for (const object of found) {
      const named = namedObject(object);
      if (named) objects.push(named);
      else failures.push(noKind(source));
    }
  }
  return { objects, failures };
}

/** Not quoted as kubectl does: it may be a Secret. */
function noKind(source: string): Failure {
  return { message: `unable to decode "${source}": Object 'Kind' is missing` };
}

function namedObject({ apiVersion, kind, metadata }: Json): ManifestObject | undefined {
  if (typeof kind !== 'string' || kind === '') return undefined;
  const { name, namespace, labels } = fieldsOf(metadata);
  return {
    apiVersion: textOrEmpty(apiVersion),
    kind,
    name: textOrEmpty(name),
    namespace: textOrEmpty(namespace),
    labels: fieldsOf(labels) as Record<string, string>,
  };
}

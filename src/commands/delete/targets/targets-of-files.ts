import { errorMessage } from '../../../errors.ts';
import { parseLabelSelector } from '../../../kube/label-selector.ts';
import type { ObjectRecord } from '../../../kube/object-record.ts';
import type { ObjectLocation } from '../../../kube/object-reference.ts';
import { segmentFault } from '../../../kube/path-segment.ts';
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
      const refusal = refusalOf(target, explicit ? namespace : undefined);
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

function refusalOf(
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
interface ManifestObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

/**
 * Reads the objects of one source. What comes behind a document that is no YAML is not read.
 * @internal
 */
export async function readManifest(
  bytes: Uint8Array,
  source: string,
): Promise<Omit<LoadedManifest, 'source'>> {
  const [{ textOf }, { jsonValues, ParseFailure, parseJson }, { parseYaml }] = await Promise.all([
    import('../../../files/input-bytes.ts'),
    import('../../../files/parsing/parse-json.ts'),
    import('../../../files/parsing/parse-yaml.ts'),
  ]);
  const text = textOf(bytes);
  const isJson = /^\s*\{/.test(text);
  const parse = isJson ? parseJson : parseYaml;
  const objects: ManifestObject[] = [];
  const failures: Failure[] = [];
  let line = 1;
  for (const part of isJson ? jsonValues(text) : text.split(separator)) {
    try {
      take(await parse(part), source, objects, failures);
    } catch (error) {
      if (!(error instanceof ParseFailure)) throw error;
      const at = `error parsing ${source}: line ${line + error.lines}`;
      failures.push({ message: `${at}: ${error.message}` });
      break;
    }
    line += part.split('\n').length - (isJson ? 1 : 0);
  }
  return { objects, failures };
}

/** A line that begins a document, as kubectl has it: what stands behind the first `---` is dropped. */
const separator = /^---(?:[ \t].*)?\r?\n|\n---[ \t]*(?:#.*)?(?:\r?\n|$)/;

function take(
  value: unknown,
  source: string,
  objects: ManifestObject[],
  failures: Failure[],
): void {
  if (value === null || value === undefined) return;
  const { apiVersion, kind, metadata, items } = Object(value) as Record<string, unknown>;
  if (typeof kind !== 'string' || kind === '') {
    // Not quoted as kubectl does: it may be a Secret.
    failures.push({ message: `unable to decode "${source}": Object 'Kind' is missing` });
    return;
  }
  if (Array.isArray(items)) {
    for (const item of items) take(item, source, objects, failures);
    return;
  }
  const { name, namespace, labels } = Object(metadata) as Record<string, unknown>;
  objects.push({
    apiVersion: typeof apiVersion === 'string' ? apiVersion : '',
    kind,
    name: typeof name === 'string' ? name : '',
    namespace: typeof namespace === 'string' ? namespace : '',
    labels: Object(labels) as Record<string, string>,
  });
}

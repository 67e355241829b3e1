import { metadataFields } from '../kube/facts/metadata.ts';
import { at, type Form, integer, type NamedField, namedFields, text } from '../kube/facts/shape.ts';
import { type Json, jsonOf, millisecondsIn, textOf, typeNameOf } from '../kube/json-value.ts';
import { segmentFault } from '../kube/names.ts';
import { parseApiVersion } from '../kube/resource-type.ts';

/** Why a value is not an object that a cluster could hold; undefined when it is one. */
export function objectFault(value: unknown): string | undefined {
  const json = jsonOf(value);
  if (!json) return `${typeNameOf(value)} instead of an object`;
  const apiVersion = textOf(json.apiVersion);
  const kind = textOf(json.kind);
  if (!apiVersion && !kind) return 'not a Kubernetes object: it has neither apiVersion nor kind';
  if (!kind) return 'not a Kubernetes object: it has no kind';
  if (!apiVersion) return `not a Kubernetes object: the ${brief(kind)} has no apiVersion`;
  const parsed = parseApiVersion(apiVersion);
  if (!parsed) return `the ${brief(kind)} has a malformed apiVersion`;
  if (parsed.group === 'kubectl-gc') return `a ${brief(kind)} document, not an object of a cluster`;
  if (parsed.group === 'meta.k8s.io') return `a ${brief(kind)} does not say which kind it is of`;
  const metadata = jsonOf(json.metadata);
  const name = textOf(metadata?.name);
  if (name) {
    const namespace = textOf(metadata?.namespace) ?? '';
    const unfit = segmentFault('resource name', name) ?? segmentFault('namespace', namespace);
    const fault = unfit === undefined ? metadataFault(metadata ?? {}) : brief(unfit);
    return fault === undefined ? undefined : `no server accepts the ${brief(kind)}: ${fault}`;
  }
  if (metadata?.name !== undefined && metadata.name !== null && metadata.name !== '') {
    return `the name of the ${brief(kind)} is ${typeNameOf(metadata.name)}, not a string: quote it`;
  }
  if (metadata?.generateName !== undefined) {
    return `the ${brief(kind)} has only a generateName: no such object exists`;
  }
  return `the ${brief(kind)} has no name`;
}

export function brief(text: string): string {
  return text.length > 63 ? `${text.slice(0, 60)}…` : text;
}

/** What the API server decodes of metadata: what records keep, and what else files of objects often have. */
const decoded = [
  ...metadataFields,
  ...namedFields({
    generateName: at('generateName', '2', text),
    generation: at('generation', '7', integer),
  }),
];

/**
 * What is wrong with the types in metadata; undefined when nothing is. The API server refuses it, too: it cannot be decoded into an ObjectMeta (apimachinery pkg/apis/meta/v1/types.go).
 */
export function metadataFault(metadata: Json): string | undefined {
  const fault = fieldsFault(decoded, metadata);
  return fault === undefined ? undefined : `metadata${fault}`;
}

/** Faults begin with the path below the value, so that none is spelled of what is sound. The path in JSON of each field is one name. */
function fieldsFault(fields: readonly NamedField[], json: Json): string | undefined {
  for (const { path, shape } of fields) {
    const name = path[0] ?? '';
    const value = json[name] ?? undefined;
    const fault = value === undefined ? undefined : faultOf(shape, value);
    if (fault !== undefined) return `.${name}${fault}`;
  }
  return undefined;
}

function faultOf(shape: Form, value: unknown): string | undefined {
  switch (shape.form) {
    case 'time':
      if (typeof value !== 'string') return notA('string', value);
      return millisecondsIn(value) === undefined ? ' is not a time' : undefined;
    case 'integer':
    case 'seconds':
      return Number.isInteger(value) ? undefined : notA('whole number', value);
    case 'optional-bool':
      return typeof value === 'boolean' ? undefined : notA('boolean', value);
    case 'labels':
      return mapFault(value);
    case 'list':
      return Array.isArray(value) ? entriesFault(shape.of, value) : notA('list', value);
    case 'object': {
      const json = jsonOf(value);
      return json ? fieldsFault(shape.fields, json) : notA('mapping', value);
    }
    default:
      return typeof value === 'string' ? undefined : notA('string', value);
  }
}

function entriesFault(of: Form, entries: readonly unknown[]): string | undefined {
  for (let at = 0; at < entries.length; at++) {
    const fault = faultOf(of, entries[at]);
    if (fault !== undefined) return `[${at}]${fault}`;
  }
  return undefined;
}

function mapFault(value: unknown): string | undefined {
  const entries = jsonOf(value);
  if (!entries) return notA('mapping', value);
  for (const key of Object.keys(entries)) {
    const text = entries[key] ?? '';
    if (typeof text !== 'string') return `[${brief(key)}]${notA('string', text)}`;
  }
  return undefined;
}

function notA(wanted: string, value: unknown): string {
  return ` is ${typeNameOf(value)}, not a ${wanted}`;
}

/** API groups of Kubernetes, of which some are of configuration files. */
const kubernetesGroups = /^(?:apps|autoscaling|batch|extensions|policy|(?:.+\.)?k8s\.io)$/;
const configurationGroups = /^(?:(?:.+\.)?config|kubeadm|audit)\.k8s\.io$/;

/**
 * Is a mapping the configuration of a program, as folders of manifests contain? Such files have no metadata, and an apiVersion
 * that is a number or of no API group of Kubernetes.
 */
export function isBesideObjects({ apiVersion, kind, metadata }: Json): boolean {
  if (metadata !== undefined) return apiVersion === undefined && kind === undefined;
  if (kind === undefined) return true;
  const [group = '', version] = textOf(apiVersion)?.split('/') ?? [];
  if (version === undefined) return typeof apiVersion === 'number';
  return configurationGroups.test(group) || !kubernetesGroups.test(group);
}

import { metadataFields } from '../kube/facts/metadata.ts';
import { at, type Form, integer, type NamedField, namedFields, text } from '../kube/facts/shape.ts';
import { type Json, jsonOf, millisecondsIn, textOf, typeNameOf } from '../kube/json-value.ts';
import { segmentFault } from '../kube/path-segment.ts';
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
  return fieldsFault(decoded, metadata, 'metadata');
}

/** The path in JSON of each field is one name. */
function fieldsFault(fields: readonly NamedField[], json: Json, path: string): string | undefined {
  for (const {
    path: [name = ''],
    shape,
  } of fields) {
    const value = json[name] ?? undefined;
    const fault = value === undefined ? undefined : faultOf(shape, value, `${path}.${name}`);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function faultOf(shape: Form, value: unknown, path: string): string | undefined {
  switch (shape.form) {
    case 'time':
      if (typeof value !== 'string') return notA('string', path, value);
      return millisecondsIn(value) === undefined ? `${path} is not a time` : undefined;
    case 'integer':
    case 'seconds':
      return Number.isInteger(value) ? undefined : notA('whole number', path, value);
    case 'optional-bool':
      return notA('boolean', path, value);
    case 'labels':
      return mapFault(value, path);
    case 'list':
      if (!Array.isArray(value)) return notA('list', path, value);
      for (const [index, entry] of value.entries()) {
        const fault = faultOf(shape.of, entry, `${path}[${index}]`);
        if (fault !== undefined) return fault;
      }
      return undefined;
    case 'object': {
      const json = jsonOf(value);
      return json ? fieldsFault(shape.fields, json, path) : notA('mapping', path, value);
    }
    default:
      return notA('string', path, value);
  }
}

function mapFault(value: unknown, path: string): string | undefined {
  const entries = jsonOf(value);
  if (!entries) return notA('mapping', path, value);
  for (const key of Object.keys(entries)) {
    const text = entries[key] ?? '';
    if (typeof text !== 'string') return notA('string', `${path}[${brief(key)}]`, text);
  }
  return undefined;
}

function notA(wanted: string, path: string, value: unknown): string | undefined {
  return typeNameOf(value) === `a ${wanted}`
    ? undefined
    : `${path} is ${typeNameOf(value)}, not a ${wanted}`;
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

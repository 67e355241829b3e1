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

/**
 * What is wrong with the types in metadata; undefined when nothing is. The API server refuses it, too: it cannot be decoded into an ObjectMeta (apimachinery pkg/apis/meta/v1/types.go).
 */
export function metadataFault(metadata: Json): string | undefined {
  for (const field of strings) {
    const value = metadata[field] ?? '';
    if (typeof value !== 'string') return notA('string', `metadata.${field}`, value);
  }
  for (const field of numbers) {
    const value = metadata[field] ?? 0;
    if (!Number.isInteger(value)) return notA('whole number', `metadata.${field}`, value);
  }
  for (const field of maps) {
    const value = metadata[field] ?? {};
    const fault = mapFault(value, `metadata.${field}`);
    if (fault !== undefined) return fault;
  }
  for (const field of times) {
    if (!isTime(metadata[field] ?? null)) return `metadata.${field} is not a time`;
  }
  for (const [field, faultOf] of lists) {
    const list = metadata[field] ?? [];
    if (!Array.isArray(list)) return notA('list', `metadata.${field}`, list);
    for (const [index, entry] of list.entries()) {
      const fault = faultOf(entry, `metadata.${field}[${index}]`);
      if (fault !== undefined) return fault;
    }
  }
  return undefined;
}

const times = ['creationTimestamp', 'deletionTimestamp'];
const strings = ['namespace', 'uid', 'resourceVersion', 'generateName', ...times];
const numbers = ['generation', 'deletionGracePeriodSeconds'];
const maps = ['labels', 'annotations'];
const lists = [
  ['finalizers', finalizerFault],
  ['ownerReferences', referenceFault],
] as const;

function isTime(value: unknown): boolean {
  return value === null || millisecondsIn(value) !== undefined;
}

function finalizerFault(finalizer: unknown, path: string): string | undefined {
  return notA('string', path, finalizer);
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

function referenceFault(reference: unknown, path: string): string | undefined {
  const fields = jsonOf(reference);
  if (!fields) return notA('mapping', path, reference);
  for (const field of ['apiVersion', 'kind', 'name', 'uid']) {
    const value = fields[field];
    if (value !== undefined && typeof value !== 'string')
      return notA('string', `${path}.${field}`, value);
  }
  for (const field of ['controller', 'blockOwnerDeletion']) {
    const value = fields[field] ?? false;
    if (typeof value !== 'boolean') return notA('boolean', `${path}.${field}`, value);
  }
  return undefined;
}

function notA(wanted: string, path: string, value: unknown): string | undefined {
  return typeNameOf(value) === `a ${wanted}`
    ? undefined
    : `${path} is ${typeNameOf(value)}, not a ${wanted}`;
}

import { segmentFault } from '../../kube/path-segment.ts';
import { parseApiVersion } from '../../kube/resource-type.ts';
import { jsonOf, textOf } from '../../snapshot/json-value.ts';

/** Why a value is no object that a cluster could hold; undefined when it is one. */
export function objectFault(value: unknown): string | undefined {
  const json = jsonOf(value);
  if (!json) return `${nameOf(value)} instead of an object`;
  const apiVersion = textOf(json.apiVersion);
  const kind = textOf(json.kind);
  if (!apiVersion && !kind) return 'no Kubernetes object: it has neither apiVersion nor kind';
  if (!kind) return 'no Kubernetes object: it has no kind';
  if (!apiVersion) return `no Kubernetes object: the ${brief(kind)} has no apiVersion`;
  const parsed = parseApiVersion(apiVersion);
  if (!parsed) return `the ${brief(kind)} has a malformed apiVersion`;
  if (parsed.group === 'kubectl-gc') return `a ${brief(kind)} document, not an object of a cluster`;
  if (parsed.group === 'meta.k8s.io') return `a ${brief(kind)} does not say which kind it is of`;
  const metadata = jsonOf(json.metadata);
  const name = textOf(metadata?.name);
  if (name) {
    const namespace = textOf(metadata?.namespace) ?? '';
    const fault = segmentFault('resource name', name) ?? segmentFault('namespace', namespace);
    return fault === undefined ? undefined : `no server takes the ${brief(kind)}: ${brief(fault)}`;
  }
  if (metadata?.name !== undefined && metadata.name !== null && metadata.name !== '') {
    return `the name of the ${brief(kind)} is ${nameOf(metadata.name)}, not a string: quote it`;
  }
  if (metadata?.generateName !== undefined) {
    return `the ${brief(kind)} has only a generateName: no such object exists`;
  }
  return `the ${brief(kind)} has no name`;
}

function nameOf(value: unknown): string {
  if (value === null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'a mapping' : `a ${typeof value}`;
}

function brief(text: string): string {
  return text.length > 63 ? `${text.slice(0, 60)}…` : text;
}

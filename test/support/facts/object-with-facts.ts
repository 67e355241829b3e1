import type { ObjectFacts } from '../../../src/kube/object-record.ts';
import type { KubeObject } from '../../../src/kube/record-codec.ts';

export interface ObjectWithFacts {
  readonly what: string;
  readonly object: KubeObject;
  readonly facts: ObjectFacts | undefined;
}

export const since = '2026-01-01T00:00:00Z';
export const later = '2026-01-01T01:00:00Z';
export const precisely = '2026-01-01T00:00:00.123456Z';
export const labels = { app: 'web' };
const requirement = { key: 'tier', operator: 'In', values: ['front', 'back'] };
const exists = { key: 'app', operator: 'Exists' };
export const selector = { matchLabels: labels, matchExpressions: [requirement, exists] };
export const condition = {
  type: 'Ready',
  status: 'True',
  reason: 'AllWell',
  message: 'nothing to add',
  lastTransitionTime: since,
};
export const template = {
  metadata: { labels },
  spec: {
    serviceAccountName: 'web',
    containers: [{ name: 'web', image: 'example.com/web:1', env: [{ name: 'A', value: 'hush' }] }],
    initContainers: [
      { name: 'hush', image: 'hush', envFrom: [{ configMapRef: { name: 'settings' } }] },
      { name: 'hush-2', image: 'hush' },
    ],
    volumes: [
      { name: 'scratch', emptyDir: {} },
      { name: 'files', configMap: { name: 'files' } },
    ],
    imagePullSecrets: [{ name: 'registry' }],
    priorityClassName: 'high',
    runtimeClassName: 'gvisor',
  },
};
/** What a template refers to beside its containers. */
const references = {
  initContainers: [{ envFrom: [{ configMapName: 'settings' }] }],
  volumes: [{ name: 'files', configMapName: 'files' }],
  imagePullSecrets: ['registry'],
  priorityClassName: 'high',
  runtimeClassName: 'gvisor',
};
/** The same of a Job, whose containers are not kept. */
export const jobTemplateFacts = {
  podTemplate: { ...references, serviceAccountName: 'web' },
};
export const templateFacts = {
  serviceAccountName: 'web',
  containers: [{ name: 'web', image: 'example.com/web:1' }],
  podTemplate: references,
};
export function inShop(kind: string, apiVersion: string, name: string, rest: object): KubeObject {
  return { apiVersion, kind, metadata: { name, namespace: 'shop' }, ...rest };
}

export function inCluster(
  kind: string,
  apiVersion: string,
  name: string,
  rest: object,
): KubeObject {
  return { apiVersion, kind, metadata: { name }, ...rest };
}

/** What an object says, and what is remembered of it. */
interface Kept {
  /** Remembered as they stand. */
  readonly spec?: ObjectFacts;
  readonly status?: ObjectFacts;
  readonly generation?: number;
  /** Not remembered, or otherwise. */
  readonly forgotten?: { readonly spec?: object; readonly status?: object };
  /** Remembered otherwise. */
  readonly facts?: ObjectFacts;
}

/** An object, most of whose spec and status is remembered as it stands; named as `apps/v1 Deployment shop/web`. */
export function keeping(what: string, name: string, kept: Kept): ObjectWithFacts {
  const { spec, status, generation, forgotten, facts } = kept;
  const [apiVersion = '', kind = '', path = ''] = name.split(' ');
  const [own = '', namespace] = path.split('/').reverse();
  const numbered = generation === undefined ? {} : { generation };
  const object = {
    apiVersion,
    kind,
    metadata: { name: own, ...(namespace && { namespace }), ...numbered },
    spec: { ...spec, ...forgotten?.spec },
    ...((status ?? forgotten?.status) && { status: { ...status, ...forgotten?.status } }),
  };
  return { what, object, facts: { ...numbered, ...spec, ...status, ...facts } };
}

import type { KubeObject } from '../../src/kube/record-codec.ts';
import { ResourceTypes } from '../../src/kube/resource-types.ts';
import { diagnosedOf } from '../../src/questions/why/document.ts';
import { diagnose } from '../../src/why/diagnose.ts';
import type { Query } from '../../src/why/inquiry.ts';
import { investigate } from '../../src/why/investigate.ts';
import { answerFromObjects } from '../support/answer-from-objects.ts';
import { customType, servedTypes } from '../support/builders.ts';
import { stepOf } from '../support/fix-step.ts';
import { readAt } from './diagnosed.ts';

export { readAt };

export const finalizer = 'db.example.com/cleanup';
const type = customType('databases.db.example.com/v1 Database');
const types = new ResourceTypes([...servedTypes.all, type], { exhaustive: true });

/** An object in `ops`. */
const object = (
  apiVersion: string,
  kind: string,
  name: string,
  rest: object = {},
  metadata: object = {},
): KubeObject => ({ apiVersion, kind, metadata: { name, namespace: 'ops', ...metadata }, ...rest });

/** A database that is being deleted, a month ago if nothing else is said. */
export const database = (deletionTimestamp = '2026-05-01T00:00:00Z', finalizers = [finalizer]) =>
  object(
    'db.example.com/v1',
    'Database',
    'd',
    {},
    {
      uid: 'uid-d',
      namespace: 'shop',
      deletionTimestamp,
      finalizers,
    },
  );

interface Program {
  readonly name?: string;
  readonly replicas?: number;
  readonly namespace?: string;
  readonly labels?: object;
  readonly image?: string;
  readonly ready?: number;
}

/** A Deployment that runs as the ServiceAccount `sa`. */
export const program = (given: Program = {}) => {
  const {
    name = 'tool',
    namespace = 'ops',
    labels,
    image = 'registry.test/tool:1',
    replicas = 1,
    ready = replicas,
  } = given;
  const template = { spec: { serviceAccountName: 'sa', containers: [{ name: 'main', image }] } };
  return object(
    'apps/v1',
    'Deployment',
    name,
    { spec: { replicas, template }, status: { readyReplicas: ready, observedGeneration: 1 } },
    { namespace, ...(labels && { labels }) },
  );
};

const rbac = 'rbac.authorization.k8s.io/v1';
export const rule = (changes: object = {}) => ({
  apiGroups: ['db.example.com'],
  resources: ['databases'],
  verbs: ['get', 'update'],
  ...changes,
});
export const clusterRole = (rules: object[]) =>
  object(rbac, 'ClusterRole', 'r', { rules }, { namespace: undefined });
export const role = (namespace: string, rules: object[]) =>
  object(rbac, 'Role', 'r', { rules }, { namespace });
export const account = { kind: 'ServiceAccount', name: 'sa', namespace: 'ops' };
export const bound = (kind: string, subject: object = account, namespace?: string) =>
  object(
    rbac,
    namespace === undefined ? 'ClusterRoleBinding' : 'RoleBinding',
    'b',
    { roleRef: { kind, name: 'r' }, subjects: [subject] },
    { namespace },
  );
export const lease = (name: string, renewTime: string) =>
  object('coordination.k8s.io/v1', 'Lease', name, { spec: { renewTime } });

/** What `why` says of the database among these objects. */
export async function found(
  objects: readonly KubeObject[],
  options: { readonly unread?: string; readonly now?: number; readonly origin?: 'files' } = {},
) {
  const answer = answerFromObjects(objects, types, readAt);
  const { unread, now, origin = 'cluster' } = options;
  const { finding } = await investigate(
    { types, serverVersion: undefined, origin, isCurrent: origin === 'cluster', now },
    (inquiry) => diagnose(inquiry, { type, namespace: 'shop', name: 'd' }),
    (query: Query) =>
      query.ask === 'list' && query.type.kind === unread
        ? { readAt, reason: 'forbidden' as const, message: 'forbidden' }
        : answer(query),
  );
  const { state, fix, chain } = diagnosedOf(finding);
  const [link] = chain.links;
  const { because, cause, programs = [], evidence } = link ?? {};
  return { state, because, cause, programs, fix: fix && stepOf(fix), evidence };
}

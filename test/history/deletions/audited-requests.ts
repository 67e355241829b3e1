import type {
  AuditedBody,
  AuditedRequest,
  WritingVerb,
} from '../../../src/history/audited-request.ts';

/** When the first request of a log was received. */
export const noon = Date.parse('2026-01-31T12:00:00Z');

const blank: AuditedRequest = {
  auditId: '',
  receivedAt: noon,
  answeredAt: noon,
  verb: 'delete',
  user: '',
  impersonated: undefined,
  userAgent: 'kubectl/v1.36.3',
  sourceIps: ['192.0.2.1'],
  group: '',
  resource: '',
  subresource: '',
  namespace: '',
  name: '',
  uid: undefined,
  status: 200,
  isDryRun: false,
  isRemoval: false,
  hasBody: false,
  labelSelector: undefined,
  fieldSelector: undefined,
  propagationPolicy: undefined,
  body: undefined,
};

const blankBody: AuditedBody = {
  owners: undefined,
  finalizers: undefined,
  isBeingDeleted: undefined,
  generateName: undefined,
  replicas: undefined,
};

/** `gc` for the account of the garbage collector, and so on. */
const accounts: Readonly<Record<string, string>> = {
  gc: 'system:serviceaccount:kube-system:generic-garbage-collector',
  ns: 'system:serviceaccount:kube-system:namespace-controller',
  rs: 'system:serviceaccount:kube-system:replicaset-controller',
  deploy: 'system:serviceaccount:kube-system:deployment-controller',
  ttl: 'system:serviceaccount:kube-system:ttl-after-finished-controller',
  taints: 'system:serviceaccount:kube-system:node-controller',
  kubelet: 'system:node:worker-1',
};

/**
 * A log, a request a line and a second: `USER VERB RESOURCE[.GROUP][/SUBRESOURCE] [NAMESPACE/]NAME FIELD=VALUE…`; `owners` are
 * `Kind/name:uid`, where a name of the apps group is a Deployment or ReplicaSet. Audit ids are the numbers of lines.
 */
export function requestsOf(log: string): AuditedRequest[] {
  return log
    .trim()
    .split('\n')
    .map((line, index) => requestOf(line.trim(), index + 1));
}

function requestOf(line: string, number: number): AuditedRequest {
  const [user = '', verb = '', kind = '', place = '', ...fields] = line.split(/ +/);
  const [path = '', subresource = ''] = kind.split('/');
  const [resource = '', ...group] = path.split('.');
  const slash = place.indexOf('/');
  const given = Object.fromEntries(
    fields.map((field) => [
      field.slice(0, field.indexOf('=')),
      field.slice(field.indexOf('=') + 1),
    ]),
  );
  const at = noon + number * 1_000;
  const { owners, replicas, impersonated, uid, selector, agent, dry, prefix } = given;
  return {
    ...blank,
    auditId: String(number),
    receivedAt: at,
    answeredAt: at + 10,
    verb: verb as WritingVerb,
    user: accounts[user] ?? user,
    impersonated,
    ...(agent !== undefined && { userAgent: agent }),
    group: group.join('.'),
    resource,
    subresource,
    namespace: slash < 0 ? '' : place.slice(0, slash),
    name: place.slice(slash + 1),
    uid,
    labelSelector: selector,
    isDryRun: dry !== undefined,
    hasBody: owners !== undefined || replicas !== undefined,
    body:
      owners === undefined && replicas === undefined
        ? undefined
        : {
            ...blankBody,
            owners: owners?.split(',').map(ownerOf),
            replicas: replicas === undefined ? undefined : Number(replicas),
            generateName: prefix,
          },
  };
}

function ownerOf(text: string) {
  const [named = '', uid = ''] = text.split(':');
  const [kind = '', name = ''] = named.split('/');
  const apiVersion = /^(Deployment|ReplicaSet|StatefulSet)$/.test(kind)
    ? 'apps/v1'
    : kind === 'Widget'
      ? 'example.com/v1'
      : kind === 'Job'
        ? 'batch/v1'
        : 'v1';
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}

import { ownLabels } from '../../cluster/write/write-request.ts';
import { apiVersionOf } from '../../kube/resource-type.ts';
import { isBuiltInGroup, mayConcern, type ResourceTypes } from '../../kube/resource-types.ts';
import {
  approvalAnnotations,
  askedByUser,
  howToApprove,
  protectedLabel,
} from '../../programs/deletion-approval.ts';

/** What becomes of a request that a policy does not like. */
export type PolicyAction = 'Audit' | 'Warn' | 'Deny';

interface PolicyRow {
  /** Its name, without the prefix that it has in a cluster; undefined: there is none. */
  readonly policy?: string;
  /** What it is about: a class of wrong references, or a deletion. */
  readonly about: string;
  readonly because: string;
}

/** A policy about references that a write adds; those that are there already never refuse a write. */
interface ReferencePolicy {
  /** The classes of wrong references that it is about; undefined: the one of its name. */
  readonly about?: readonly string[];
  /** What it goes by; undefined: the object is enough. */
  readonly because?: string;
  /** Of a reference `r`: is it wrong? In CEL. */
  readonly isWrong: string;
  /** A list that this asks for, `variables.known`. */
  readonly known?: (types: ResourceTypes) => string[];
  /** Only objects in no namespace. */
  readonly isClusterScoped?: true;
  readonly message: string;
}

/** The group of a reference `r`. */
const referenceGroup = "(r.apiVersion.contains('/') ? r.apiVersion.split('/')[0] : '')";

const referencePolicies: Readonly<Record<string, ReferencePolicy>> = {
  'namespaced-owner-of-cluster-object': {
    because: 'which kinds are namespaced stands in it',
    isWrong: `${referenceGroup} + '/' + r.kind in variables.known`,
    known: ({ all }) =>
      all.filter(({ namespaced }) => namespaced).map(({ group, kind }) => `${group}/${kind}`),
    isClusterScoped: true,
    message: 'a cluster-scoped object cannot have a namespaced owner, and would never be collected',
  },
  'unserved-owner': {
    about: ['unserved-owner-kind', 'unserved-owner-version'],
    because: "Kubernetes' own kinds stand in it",
    // A group without a dot is one of Kubernetes' own, served or not. Each kind goes by its name in small letters, too.
    isWrong: [
      `(!${referenceGroup}.contains('.') || variables.known.exists(k, k.startsWith(${referenceGroup} + '/'))) &&`,
      "!((r.apiVersion + '/' + r.kind).lowerAscii() in variables.known)",
    ].join(' '),
    known: ({ all, failed }) =>
      all
        .filter(
          ({ group }) => isBuiltInGroup(group) && !failed.some((one) => mayConcern(one, group)),
        )
        .map((type) => `${apiVersionOf(type)}/${type.kind}`.toLowerCase()),
    message: 'no API serves the kind of this owner in this version, so it cannot be looked up',
  },
  'duplicate-uid': {
    isWrong: 'object.metadata.ownerReferences.filter(o, o.uid == r.uid).size() > 1',
    message: 'two references name the same uid, and removing one would remove both',
  },
  'self-owner': {
    isWrong: 'has(object.metadata.uid) && r.uid == object.metadata.uid',
    message: 'an object cannot own itself, and would never be collected',
  },
  'event-owner': {
    isWrong: "r.kind.lowerAscii() == 'event' && r.apiVersion.startsWith('events.k8s.io/')",
    message: 'an Event expires by itself, and the garbage collector does not watch its end',
  },
};

/** What admission cannot see of wrong references: CEL looks nothing up. */
const notSeenByAdmission: readonly PolicyRow[] = [
  ...[
    'missing-owner',
    'owner-uid-mismatch',
    'owner-name-mismatch',
    'owner-kind-mismatch',
    'cross-namespace-owner',
  ].map((about) => ({ about, because: 'needs a look-up of the owner' })),
  { about: 'several-controllers', because: 'the API server itself refuses it' },
  { about: 'ownership-cycle', because: 'needs a look-up of the others' },
  { about: 'orphaned-job-pods', because: 'needs a look-up of the Job' },
];

interface DeletionPolicy {
  readonly about: string;
  readonly resource: { readonly apiGroups: string[]; readonly resources: string[] };
  readonly objectSelector?: object;
}

const deletionPolicies: Readonly<Record<string, DeletionPolicy>> = {
  'namespace-deletion': {
    about: 'deletion of namespaces',
    resource: { apiGroups: [''], resources: ['namespaces'] },
  },
  'crd-deletion': {
    about: 'deletion of definitions',
    resource: { apiGroups: ['apiextensions.k8s.io'], resources: ['customresourcedefinitions'] },
  },
  'protected-deletion': {
    about: 'deletion of protected objects',
    resource: { apiGroups: ['*'], resources: ['*'] },
    objectSelector: { matchLabels: protectedLabel },
  },
};

/** Each policy, and each class of wrong references that none can see. */
export const policyRows: readonly PolicyRow[] = [
  ...Object.entries(referencePolicies).flatMap(
    ([policy, { about = [policy], because = 'the object is enough' }]) =>
      about.map((one) => ({ policy, about: one, because })),
  ),
  ...Object.entries(deletionPolicies).map(([policy, { about }]) => ({
    ...{ policy, about, because: 'needs an approval' },
  })),
  ...notSeenByAdmission,
];

/** The policies that are wanted for a cluster that serves these kinds, each followed by its binding. */
export function admissionPolicies(
  types: ResourceTypes,
  action: PolicyAction,
  isWanted: (name: string) => boolean,
): object[] {
  const policies = [
    ...Object.entries(referencePolicies).map(([name, policy]) => {
      return { name, spec: referencePolicy(policy, types), more: {} };
    }),
    ...Object.entries(deletionPolicies).map(([name, policy]) => {
      return { name, spec: deletionPolicy(policy), more: { paramRef: clock } };
    }),
  ];
  const wanted = policies.filter(({ name }) => isWanted(name));
  return wanted.flatMap(({ name, spec, more }) => {
    const apiVersion = 'admissionregistration.k8s.io/v1';
    const kind = 'ValidatingAdmissionPolicy';
    const metadata = { name: `kubectl-gc-${name}`, labels: ownLabels };
    const bound = { policyName: metadata.name, validationActions: [action], ...more };
    return [
      { apiVersion, kind, metadata, spec },
      { apiVersion, kind: `${kind}Binding`, metadata, spec: bound },
    ];
  });
}

/**
 * A write that adds no reference is always admitted: a request that removes a finalizer, or a wrong
 * reference, is never refused. Where an expression fails, the write is admitted, too.
 */
function referencePolicy(policy: ReferencePolicy, types: ResourceTypes): object {
  const { isWrong, known, isClusterScoped, message } = policy;
  const first = 'variables.wrong[0]';
  return {
    failurePolicy: 'Ignore',
    matchConstraints: {
      resourceRules: [
        {
          ...{ apiGroups: ['*'], apiVersions: ['*'], resources: ['*'] },
          ...{ operations: ['CREATE', 'UPDATE'], scope: isClusterScoped ? 'Cluster' : '*' },
        },
      ],
    },
    matchConditions: namedExpressions({
      'has-owners': 'has(object.metadata) && has(object.metadata.ownerReferences)',
      'is-not-being-deleted': '!has(object.metadata.deletionTimestamp)',
    }),
    variables: namedExpressions({
      added: [
        'object.metadata.ownerReferences.filter(r,',
        'oldObject == null || !has(oldObject.metadata.ownerReferences) ||',
        '!oldObject.metadata.ownerReferences.exists(o,',
        'o.uid == r.uid && o.apiVersion == r.apiVersion && o.kind == r.kind))',
      ].join(' '),
      ...(known && { known: celList(known(types)) }),
      wrong: `variables.added.filter(r, ${isWrong})`,
    }),
    validations: [
      {
        expression: 'variables.wrong.size() == 0',
        message,
        messageExpression: `'${message}: ' + ${first}.apiVersion + ' ' + ${first}.kind + ' ' + ${first}.name`,
      },
    ],
  };
}

/** Expressions in CEL, in this order. */
function namedExpressions(expressions: Readonly<Record<string, string>>): object[] {
  return Object.entries(expressions).map(([name, expression]) => ({ name, expression }));
}

function celList(values: readonly string[]): string {
  return `[${[...new Set(values)]
    .toSorted()
    .map((value) => `'${value}'`)
    .join(', ')}]`;
}

/**
 * CEL has no clock. API servers renew a Lease of their own every ten seconds, and the latest of these is one: a
 * deletion has to come before the end of its approval by all of them.
 */
const clock = {
  namespace: 'kube-system',
  selector: { matchLabels: { 'apiserver.kubernetes.io/identity': 'kube-apiserver' } },
  parameterNotFoundAction: 'Deny',
};

function deletionPolicy({ resource, objectSelector }: DeletionPolicy): object {
  const annotation = (name: string) => `oldObject.metadata.?annotations[?'${name}'].orValue('')`;
  const what = "request.resource.resource + ' ' + oldObject.metadata.name";
  return {
    failurePolicy: 'Fail',
    paramKind: { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' },
    matchConstraints: {
      resourceRules: [{ ...resource, apiVersions: ['*'], operations: ['DELETE'] }],
      ...(objectSelector && { objectSelector }),
    },
    matchConditions: namedExpressions({
      'is-asked-by-a-user': askedByUser,
      'is-not-being-deleted': '!has(oldObject.metadata.deletionTimestamp)',
    }),
    variables: namedExpressions({
      user: annotation(approvalAnnotations.for),
      until: annotation(approvalAnnotations.until),
      isTime: "variables.until.matches('^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}Z$')",
    }),
    validations: [
      {
        expression: 'variables.user == request.userInfo.username',
        reason: 'Forbidden',
        message: `the deletion is not approved: ${howToApprove}`,
        messageExpression: `'the deletion of ' + ${what} + ' is not approved for ' + request.userInfo.username + ': ${howToApprove}'`,
      },
      {
        expression: `variables.user != request.userInfo.username || variables.isTime && timestamp(variables.until) > timestamp(params.spec.renewTime)`,
        reason: 'Forbidden',
        message: `the approval of the deletion is over, or ${approvalAnnotations.until} is no time such as 2026-12-31T12:00:00Z`,
      },
    ],
  };
}

import type { ObjectRecord } from '../kube/object-record.ts';
import { fullNameOf } from '../kube/object-reference.ts';
import { coverageIndexOf } from '../snapshot/coverage.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import {
  type AppliedBy,
  entryKey,
  type KindTool,
  locationEntryKey,
  type Recreation,
} from './tool.ts';

/*
 * Operator Lifecycle Manager v0.46.0 (processFinalizer, handleClusterServiceVersionDeletion, removeDanglingChildCSVs,
 * operatorGroupDeleted, adoptees, updateInstallStatus). A ClusterServiceVersion owns the objects of its namespace by
 * reference; these show the others:
 *
 * | read | by it |
 * | --- | --- |
 * | finalizer operators.coreos.com/csv-cleanup | cluster roles, their bindings and webhooks are deleted before it is removed; API services and copies follow |
 * | labels olm.owner, olm.owner.namespace, olm.owner.kind | the ClusterServiceVersion or OperatorGroup that an object is of |
 * | label olm.copiedFrom | a copy of the ClusterServiceVersion of that namespace, which is deleted with it |
 * | label operators.coreos.com/PACKAGE.NAMESPACE | what belongs to one installed operator, its definitions among it |
 * | spec.customresourcedefinitions.owned | its definitions, which stay with all their objects |
 *
 * A Subscription owns its InstallPlans by reference. The objects that it or an InstallPlan installed stay.
 */

const olmGroup = 'operators.coreos.com';
const csvFinalizer = `${olmGroup}/csv-cleanup`;

export const clusterServiceVersion: KindTool = {
  title: 'OLM ClusterServiceVersion',
  group: olmGroup,
  kind: 'ClusterServiceVersion',
  versions: ['v1alpha1'],
  isKnownByMetadata: true,
  isDeletedInstead: true,
  inventoryOf: (record) => {
    const isCopy = copiedFrom(record) !== undefined;
    const holds = record.finalizers.includes(csvFinalizer);
    const owned = (!isCopy && record.facts?.ownedDefinitions) || [];
    return {
      entries: owned.map((name) => ({
        group: 'apiextensions.k8s.io',
        kind: 'CustomResourceDefinition',
        namespace: '',
        name,
      })),
      ...(!isCopy && {
        marks: [
          locationEntryKey(record),
          ...operatorsOf(record).map((one) => `CustomResourceDefinition of ${one}`),
        ],
      }),
      keepReason,
      finalizer: holds ? csvFinalizer : undefined,
      keepsAllBecause: isCopy ? 'it is a copy' : holds ? '' : `it has no finalizer ${csvFinalizer}`,
      recreates: madeAgain,
    };
  },
};

const cleanedUp: ReadonlySet<string> = new Set([
  'APIService',
  'ClusterRole',
  'ClusterRoleBinding',
  'ClusterServiceVersion',
  'MutatingWebhookConfiguration',
  'ValidatingWebhookConfiguration',
]);

function keepReason({ type, namespace }: ObjectRecord): string | undefined {
  if (cleanedUp.has(type.kind)) return undefined;
  if (type.kind === 'CustomResourceDefinition') return 'OLM leaves definitions and their objects';
  return namespace === '' ? 'OLM leaves what it does not know' : 'OLM leaves it to its owners';
}

/** What its installation is checked for. */
const checked: ReadonlySet<string> = new Set([
  'APIService',
  'ClusterServiceVersion',
  'Deployment',
  'MutatingWebhookConfiguration',
  'ValidatingWebhookConfiguration',
]);

function madeAgain({ type }: ObjectRecord): Recreation | undefined {
  if (checked.has(type.kind)) return { when: 'as soon as it is deleted' };
  if (type.kind !== 'ClusterRole') return undefined;
  return { doubt: 'of ClusterRoles it makes those for its APIs, and no others' };
}

/** Is it a ClusterServiceVersion whose operator runs, and no copy of one? */
export function isOperatorVersion(record: ObjectRecord): boolean {
  return isVersion(record) && copiedFrom(record) === undefined;
}

export const subscription: KindTool = {
  title: 'OLM Subscription',
  group: olmGroup,
  kind: 'Subscription',
  versions: ['v1alpha1'],
  isKnownByMetadata: true,
  isDeletedInstead: true,
  inventoryOf: (record) => ({
    marks: operatorsOf(record).map((one) => `${clusterServiceVersion.kind} of ${one}`),
    keepsAllBecause: 'OLM leaves what a Subscription installed',
    recreates: ({ type }) =>
      type.kind === 'ClusterServiceVersion'
        ? { doubt: 'that is up to what OLM resolves for its channel' }
        : undefined,
  }),
};

export const operatorGroup: KindTool = {
  title: 'OLM OperatorGroup',
  group: olmGroup,
  kind: 'OperatorGroup',
  versions: ['v1', 'v1alpha2'],
  isKnownByMetadata: true,
  isDeletedInstead: true,
  inventoryOf: () => ({
    keepReason,
    recreates: () => ({ when: 'as soon as it looks at its namespaces' }),
  }),
};

/** By the labels that OLM puts on all that it makes, and on copies. */
export function appliedByOlm(record: ObjectRecord): AppliedBy | undefined {
  const { labels = {}, name } = record;
  const from = copiedFrom(record);
  const owner =
    from === undefined
      ? {
          kind: labels['olm.owner.kind'],
          namespace: labels['olm.owner.namespace'],
          name: labels['olm.owner'],
        }
      : { kind: clusterServiceVersion.kind, namespace: from, name };
  if (owner.kind === undefined || owner.namespace === undefined || owner.name === undefined)
    return undefined;
  const by = { group: olmGroup, kind: owner.kind, namespace: owner.namespace, name: owner.name };
  return { who: fullNameOf({ ...by, kind: `OLM ${owner.kind}` }), by };
}

function isVersion({ type }: ObjectRecord): boolean {
  return type.group === olmGroup && type.kind === clusterServiceVersion.kind;
}

function copiedFrom(record: ObjectRecord): string | undefined {
  return isVersion(record) ? record.labels?.['olm.copiedFrom'] : undefined;
}

/** The labels that what belongs to an installed operator shares. */
function operatorsOf({ labels = {} }: ObjectRecord): string[] {
  return Object.keys(labels).filter((key) => key.startsWith(`${olmGroup}/`));
}

/** By which a ClusterServiceVersion knows its definitions, and a Subscription its ClusterServiceVersion. */
export function operatorMarksOf(record: ObjectRecord): readonly string[] {
  const { type } = record;
  if (!isOperatorVersion(record) && type.kind !== 'CustomResourceDefinition') return [];
  return operatorsOf(record).map((operator) => `${type.kind} of ${operator}`);
}

/** The installed operator that a definition names: OLM puts no name of its ClusterServiceVersion on it. */
export function operatorOf(record: ObjectRecord): string | undefined {
  return record.type.kind === 'CustomResourceDefinition' ? operatorsOf(record)[0] : undefined;
}

/** The evidence that the object for which OLM created another was deleted: all of that kind was read, and it is missing. */
export function goneOperators({
  records,
  types,
  coverage,
}: Pick<Snapshot, 'records' | 'types' | 'coverage'>): (record: ObjectRecord) => string | undefined {
  const ofOlm = records.filter(({ type }) => type.group === olmGroup);
  const places = new Set(ofOlm.map(locationEntryKey));
  const operators = new Set(ofOlm.flatMap(operatorsOf));
  const index = coverageIndexOf(coverage);
  const isRead = (kind: string, namespace: string) => {
    const type = types.ofKind(olmGroup, kind);
    return type ? index.coversKind(type, namespace) : types.exhaustive;
  };
  return (record) => {
    const { by } = appliedByOlm(record) ?? {};
    if (by) {
      const isGone = !places.has(entryKey(by)) && isRead(by.kind, by.namespace);
      return isGone ? `OLM created it for ${fullNameOf(by)}, which does not exist` : undefined;
    }
    const operator = operatorOf(record);
    if (operator === undefined || operators.has(operator)) return undefined;
    return [clusterServiceVersion.kind, subscription.kind].every((kind) => isRead(kind, ''))
      ? `OLM installed it with ${operator}, of which no ClusterServiceVersion and no Subscription is left`
      : undefined;
  };
}

import type { ObjectRecord } from '../kube/object-record.ts';
import { fullNameOf } from '../kube/object-reference.ts';
import type { AppliedBy, KindTool } from './tool.ts';

/*
 * Argo CD, by v3.2.0 (finalizeApplicationDeletion, shouldBeDeleted, CascadedDeletion) and gitops-engine v0.7.3
 * (GetManagedLiveObjs):
 *
 * | read | by it |
 * | --- | --- |
 * | metadata.finalizers | resources-finalizer.argocd.argoproj.io deletes with Foreground, …/background with Background; without it nothing is deleted |
 * | status.resources | what it applied |
 * | argocd.argoproj.io/tracking-id | the same, on the object: APPLICATION:GROUP/KIND:NAMESPACE/NAME |
 * | argocd.argoproj.io/sync-options | Delete=false stays; while one object has Delete=confirm, nothing is deleted without an approval |
 * | helm.sh/resource-policy: keep | it stays; CustomResourceDefinitions and objects with owners stay, too |
 * | spec.destination | https://kubernetes.default.svc or in-cluster: here; else another cluster |
 * | spec.syncPolicy.automated.selfHeal | objects that others delete are applied again |
 *
 * An ApplicationSet owns its Applications by reference, and gives them the finalizer unless
 * preserveResourcesOnDeletion is true: the Applications show all of it.
 */

const argoGroup = 'argoproj.io';
const cascading = 'resources-finalizer.argocd.argoproj.io';
const finalizers: ReadonlySet<string> = new Set([
  cascading,
  `${cascading}/foreground`,
  `${cascading}/background`,
]);

export const application: KindTool = {
  title: 'Argo CD Application',
  group: argoGroup,
  kind: 'Application',
  versions: ['v1alpha1'],
  inventoryOf: (record) => {
    const { facts = {} } = record;
    const finalizer = record.finalizers.find((one) => finalizers.has(one));
    const { destination, automated, argoResources = [] } = facts;
    const isHere =
      destination?.server === 'https://kubernetes.default.svc' ||
      destination?.name === 'in-cluster';
    return {
      entries: argoResources,
      keepReason: pruneExemption,
      waitsFor: awaitedApproval,
      finalizer,
      keepsAllBecause: finalizer === undefined ? `it has no finalizer ${cascading}` : '',
      policy: finalizer === `${cascading}/background` ? 'Background' : 'Foreground',
      cluster: isHere ? undefined : (destination?.name ?? destination?.server ?? 'another cluster'),
      recreates: () =>
        automated?.selfHeal
          ? { when: 'as self-heal is on' }
          : {
              doubt: `self-heal is off: it does so ${automated ? 'with the next change' : 'when somebody syncs it'}`,
            },
    };
  },
};

function pruneExemption(record: ObjectRecord): string | undefined {
  const { type, annotations, ownerReferences } = record;
  if (hasSyncOption(record, 'Delete=false')) return 'Delete=false';
  if (annotations?.['helm.sh/resource-policy'] === 'keep') return 'helm.sh/resource-policy is keep';
  if (type.group === 'apiextensions.k8s.io') return 'it leaves every CustomResourceDefinition';
  return ownerReferences.length > 0 ? 'it has an owner' : undefined;
}

function hasSyncOption({ annotations }: ObjectRecord, wanted: string): boolean {
  const options = annotations?.['argocd.argoproj.io/sync-options']?.split(',') ?? [];
  return options.some((option) => option.trim() === wanted);
}

/** It comes after the deletion: IsDeletionConfirmed compares their times. */
function awaitedApproval(record: ObjectRecord): string | undefined {
  return hasSyncOption(record, 'Delete=confirm')
    ? 'the annotation argocd.argoproj.io/deletion-approved'
    : undefined;
}

const trackingId = 'argocd.argoproj.io/tracking-id';

/** The application that an object's annotation names, though it may be about the object that it was copied from. */
export function applicationNamedIn({ annotations }: ObjectRecord): string | undefined {
  return annotations?.[trackingId]?.split(':')[0];
}

/** The same, where the annotation is about this object. */
function trackedBy({ type, namespace, name, annotations }: ObjectRecord): string | undefined {
  const [app, kind, object] = annotations?.[trackingId]?.split(':') ?? [];
  if (kind !== `${type.group}/${type.kind}`) return undefined;
  // Of an object in no namespace, Argo names that of the application's destination.
  const isThis =
    object === `${namespace}/${name}` || (namespace === '' && object?.endsWith(`/${name}`));
  return isThis ? app : undefined;
}

/** By the annotation of the usual way to track; the label of the older one is also set by charts. */
export function appliedByArgo(record: ObjectRecord): AppliedBy | undefined {
  const instance = trackedBy(record) ?? record.labels?.['argocd.argoproj.io/instance'];
  if (instance === undefined) return undefined;
  const [first = '', second] = instance.split('_');
  const [namespace, name] = second === undefined ? ['', first] : [first, second];
  const { title, kind } = application;
  const who = fullNameOf({ kind: title, namespace, name });
  return { who, by: { group: argoGroup, kind, namespace, name } };
}

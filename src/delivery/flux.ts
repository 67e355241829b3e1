import type { ObjectRecord } from '../kube/object-record.ts';
import { fullNameOf } from '../kube/object-reference.ts';
import type { AppliedBy, Entry, KindTool, KnownInventory, Recreation } from './tool.ts';

/*
 * Flux, by kustomize-controller v1.9.6 (finalizerShouldDeleteResources, deleteObjects) and fluxcd/pkg/ssa v0.76.2
 * (ResourceManager.Delete):
 *
 * | read | by it |
 * | --- | --- |
 * | status.inventory.entries | what it applied: NAMESPACE_NAME_GROUP_KIND, a colon of a name as __ |
 * | spec.prune, spec.deletionPolicy | MirrorPrune, the default, deletes where prune is true; Orphan leaves all |
 * | spec.suspend | nothing is deleted, and nothing is applied again |
 * | spec.kubeConfig | all of it is in another cluster |
 * | labels of an entry | one whose labels name another Kustomization is left |
 * | kustomize.toolkit.fluxcd.io/prune: disabled, …/reconcile: disabled, …/ssa: Ignore | it is left |
 *
 * The controller deletes with Background before it removes its finalizer, and applies again within spec.interval.
 * A HelmRelease (helm-controller v1.5) uninstalls its release: what is in it carries the labels of the HelmRelease. It applies again
 * what others delete only where spec.driftDetection.mode is enabled, and by default with the next upgrade alone.
 */

const kustomizationGroup = 'kustomize.toolkit.fluxcd.io';
const fluxFinalizer = 'finalizers.fluxcd.io';

export const kustomization: KindTool = {
  title: 'Flux Kustomization',
  group: kustomizationGroup,
  kind: 'Kustomization',
  versions: ['v1', 'v1beta2'],
  inventoryOf: (record) => {
    const { facts: { prune, deletionPolicy = 'MirrorPrune' } = {} } = record;
    const leaves =
      suspended(record) ||
      (deletionPolicy === 'Orphan'
        ? 'its deletionPolicy is Orphan'
        : deletionPolicy === 'MirrorPrune' && !prune
          ? 'its prune is false'
          : '');
    return { ...inventoryOf(record, leaves), matchBy: 'both', keepReason };
  },
};

export const helmRelease: KindTool = {
  title: 'Flux HelmRelease',
  group: 'helm.toolkit.fluxcd.io',
  kind: 'HelmRelease',
  versions: ['v2', 'v2beta2', 'v2beta1'],
  inventoryOf: (record) => ({
    ...withRevisions(record, inventoryOf(record, suspended(record))),
    recreates: () => {
      const correctsDrift = record.facts?.driftDetectionMode === 'enabled';
      return suspended(record) || correctsDrift
        ? recreation(record)
        : { doubt: 'drift detection is off: it does so with the next upgrade of the release' };
    },
    keepReason: ({ annotations }) =>
      annotations?.['helm.sh/resource-policy'] === 'keep'
        ? 'helm.sh/resource-policy is keep'
        : undefined,
  }),
};

function inventoryOf(record: ObjectRecord, leaves: string): KnownInventory {
  const { facts: { fluxEntries = [], kubeConfig } = {} } = record;
  const holds = record.finalizers.includes(fluxFinalizer);
  return {
    entries: fluxEntries.flatMap(({ id }) => entryOf(id) ?? []),
    keepsAllBecause: leaves || (holds ? '' : `it has no finalizer ${fluxFinalizer}`),
    finalizer: leaves === '' && holds ? fluxFinalizer : undefined,
    cluster: kubeConfig && clusterOf(kubeConfig),
    recreates: () => recreation(record),
  };
}

/** Helm deletes the revisions of a release with it, unless spec.uninstall.keepHistory is set. */
function withRevisions(
  { namespace, facts: { helmRevisions = [], storageNamespace, keepHistory } = {} }: ObjectRecord,
  { entries = [], ...inventory }: KnownInventory,
): KnownInventory {
  const revisions = keepHistory ? [] : helmRevisions;
  return {
    ...inventory,
    entries: [
      ...entries,
      ...revisions.flatMap(({ name, version }): Entry[] => {
        if (version === undefined) return [];
        const secret = `sh.helm.release.v1.${name}.v${version}`;
        const home = storageNamespace ?? namespace;
        return [{ group: '', kind: 'Secret', namespace: home, name: secret }];
      }),
    ],
  };
}

function recreation(record: ObjectRecord): Recreation {
  return suspended(record)
    ? { doubt: 'it is suspended, and does so only once it is resumed' }
    : { when: `within its interval (${record.facts?.interval ?? ''})` };
}

function suspended({ facts }: ObjectRecord): string {
  return facts?.suspend ? 'it is suspended' : '';
}

function clusterOf({
  secretName,
  configMapName,
}: {
  readonly secretName?: string;
  readonly configMapName?: string;
}): string {
  if (secretName !== undefined) return `the cluster of Secret ${secretName}`;
  return configMapName === undefined
    ? 'another cluster'
    : `the cluster of ConfigMap ${configMapName}`;
}

/** As ParseObjMetadata of fluxcd/cli-utils v1.2.3 does it; undefined for what it cannot read. */
function entryOf(id: string): Entry | undefined {
  const [, namespace, name, kindGroup, kind] = /^([^_]*)_(.+)_([^_]*)_([^_]+)$/.exec(id) ?? [];
  if (
    namespace === undefined ||
    name === undefined ||
    kindGroup === undefined ||
    kind === undefined
  )
    return undefined;
  return { group: kindGroup, kind, namespace, name: name.replaceAll('__', ':') };
}

const exclusions: Readonly<Record<string, string>> = {
  [`${kustomizationGroup}/prune`]: 'disabled',
  [`${kustomizationGroup}/reconcile`]: 'disabled',
  [`${kustomizationGroup}/ssa`]: 'ignore',
};

function keepReason({ labels, annotations }: ObjectRecord): string | undefined {
  for (const [key, value] of Object.entries(exclusions)) {
    const is = [labels?.[key], annotations?.[key]].find((one) => one?.toLowerCase() === value);
    if (is !== undefined) return `${key} is ${is}`;
  }
  return undefined;
}

/** By the labels that Flux puts on all that it applies. */
export function appliedByFlux({ labels }: ObjectRecord): AppliedBy | undefined {
  for (const { title, group: of, kind } of [kustomization, helmRelease]) {
    const name = labels?.[`${of}/name`];
    const namespace = labels?.[`${of}/namespace`] ?? '';
    if (name === undefined) continue;
    const by = namespace === '' ? undefined : { group: of, kind, namespace, name };
    return { who: fullNameOf({ kind: title, namespace, name }), by };
  }
  return undefined;
}

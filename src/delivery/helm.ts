import { configMapType, secretType } from '../kube/core-types.ts';
import type { ObjectRecord } from '../kube/object-record.ts';
import { fullNameOf } from '../kube/object-reference.ts';
import { coverageIndexOf } from '../snapshot/coverage.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { application } from './argo.ts';
import type { AppliedBy } from './tool.ts';

/*
 * Helm, by v3.19.0 and v4.0.0 (setMetadataVisitor of pkg/action/validate.go, pkg/storage/driver, filterManifestsToKeep):
 *
 * | read | by it |
 * | --- | --- |
 * | meta.helm.sh/release-name, -namespace | install and upgrade set them, template does not |
 * | labels owner: helm and name of a Secret or a ConfigMap | a revision, in the namespace of the release |
 * | helm.sh/resource-policy: keep | uninstall leaves it |
 * | helm.sh/hook | no part of the release: uninstall leaves it; charts name the release in app.kubernetes.io/instance |
 */

export function releaseOf({ annotations }: ObjectRecord) {
  const name = annotations?.['meta.helm.sh/release-name'];
  const namespace = annotations?.['meta.helm.sh/release-namespace'] ?? '';
  return name === undefined ? undefined : { namespace, name };
}

export function appliedByHelm(record: ObjectRecord): AppliedBy | undefined {
  const release = releaseOf(record);
  return release && { who: fullNameOf({ kind: 'Helm release', ...release }), by: undefined };
}

/** What may hold a revision of a release, in its namespace. */
export const stores = [secretType, configMapType];

/** A release cannot have another name, whatever the annotation says. */
export function isReleaseName(name: string): boolean {
  return name.length <= 53 && /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(name);
}

/** The release of which a Secret or a ConfigMap holds a revision: what Helm wrote itself. */
export function revisionNamedIn({ type, labels }: ObjectRecord): string | undefined {
  const isStore = stores.some(({ group, kind }) => type.group === group && type.kind === kind);
  return isStore && labels?.owner === 'helm' ? labels.name : undefined;
}

/** Selects the revisions of a release among them. */
export function releaseLabels(name: string): Readonly<Record<string, string>> {
  return { owner: 'helm', name };
}

/** What the object of a release is left of, where no revision of that is there. */
export function leftByRelease(
  { annotations }: ObjectRecord,
  namespace: string,
  name: string,
): string {
  const why =
    annotations?.['helm.sh/resource-policy'] === 'keep'
      ? '; helm.sh/resource-policy is keep, so that uninstalling left it'
      : '';
  return `Helm installed it with release ${namespace}/${name}, of which no Secret and no ConfigMap is left${why}`;
}

/**
 * The evidence that the release of an object was uninstalled: all objects that may contain a revision were read, and none
 * does. A SQL database of Helm cannot be seen.
 */
export function goneReleases({
  records,
  coverage,
  types,
}: Pick<Snapshot, 'records' | 'coverage' | 'types'>): (record: ObjectRecord) => string | undefined {
  const kept = new Set(
    records.flatMap(({ type, namespace, labels }) =>
      type.group === '' && labels?.owner === 'helm' ? [`${namespace}/${labels.name}`] : [],
    ),
  );
  const index = coverageIndexOf(coverage);
  const isGone = (namespace: string, name: string) =>
    !kept.has(`${namespace}/${name}`) && stores.every((type) => index.coversKind(type, namespace));
  // Argo CD runs hooks of charts, too, stores no revision, and labels them with its application.
  const argo = types.ofKind(application.group, application.kind);
  const applications = new Set(
    records.flatMap(({ type, name }) =>
      type.kind === application.kind && type.group === application.group ? [name] : [],
    ),
  );
  const isNoApplication = (name: string) =>
    argo === undefined || (index.coversEverywhere(argo) && !applications.has(name));
  return (record) => {
    const release = releaseOf(record);
    if (release) {
      const { namespace, name } = release;
      return namespace !== '' && isGone(namespace, name)
        ? leftByRelease(record, namespace, name)
        : undefined;
    }
    const { namespace, annotations, labels } = record;
    const hook = annotations?.['helm.sh/hook'];
    const name = labels?.['app.kubernetes.io/instance'];
    if (hook === undefined || name === undefined || namespace === '') return undefined;
    return isGone(namespace, name) && isNoApplication(name)
      ? `a Helm hook (${hook}) of release ${namespace}/${name}, of which no Secret and no ConfigMap is left; Helm leaves hooks when it uninstalls`
      : undefined;
  };
}

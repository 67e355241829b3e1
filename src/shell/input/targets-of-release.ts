import type { HelmRelease } from '../../cluster/release-in-secret.ts';
import { counted } from '../../kube/counts-by-kind.ts';
import type { ObjectLocation } from '../../kube/object-reference.ts';
import type { ResourceTypes } from '../../kube/resource-types.ts';

interface ReleaseTargets {
  /** `source`: `helm/web`. */
  readonly targets: readonly (ObjectLocation & { readonly source: string })[];
  readonly failures: readonly never[];
  readonly notes: readonly string[];
}

/** What `helm uninstall` would delete of a release, as targets: the objects of its manifest and its own Secrets. */
export function targetsOfRelease(release: HelmRelease, types: ResourceTypes): ReleaseTargets {
  const { namespace: home, name: title, objects, secrets, preDelete } = release;
  const source = `helm/${title}`;
  const going = objects.filter(({ isKept }) => !isKept);
  // A kind that is not served has no objects.
  const targets = going.flatMap(
    ({ apiVersion, kind, namespace, name }): ReleaseTargets['targets'] => {
      const type = types.find(apiVersion, kind);
      if (!type) return [];
      return [{ type, namespace: type.namespaced ? namespace || home : '', name, source }];
    },
  );
  const secretType = types.find('v1', 'Secret');
  const own = secrets.flatMap((name): ReleaseTargets['targets'] =>
    secretType ? [{ type: secretType, namespace: home, name, source }] : [],
  );
  const kept = objects.filter(({ isKept }) => isKept).map(({ kind, name }) => `${kind} ${name}`);
  const notes = [
    `helm uninstall deletes ${counted(going.length, 'object')} of release ${home}/${title}, revision ${release.revision} (${release.status}), and ${counted(secrets.length, 'Secret')} that hold it.`,
    ...(kept.length > 0 ? [`It leaves ${kept.join(', ')}: helm.sh/resource-policy is keep.`] : []),
    ...(preDelete.length > 0 ? [`Before that it runs the hook ${preDelete.join(', ')}.`] : []),
  ];
  return { targets: [...targets, ...own], failures: [], notes };
}

import type { HelmRelease } from '../../cluster/release-in-secret.ts';
import { inNamespace, shellCommand, suggested } from '../../command-line/shell-command.ts';
import { usageError } from '../../errors.ts';
import { counted, firstOf } from '../../kube/counts-by-kind.ts';
import type { ResourceTypes } from '../../kube/resource-types.ts';

/** The Helm release that `helm/RELEASE` or `helm RELEASE` names. */
export function releaseNamed(
  args: readonly string[],
  { from }: { readonly from?: readonly string[] | undefined },
): string | undefined {
  const [type, name, ...more] = args;
  const named = type === 'helm' && name && more.length === 0 ? [`helm/${name}`] : args;
  const release = named.find((arg) => arg.startsWith('helm/'))?.slice('helm/'.length);
  if (release === undefined) return undefined;
  if (named.length > 1)
    throw usageError('helm/RELEASE is read alone: a preview is of one release', [
      'Ask once for each release.',
    ]);
  if (from)
    throw usageError('helm/RELEASE is read from a cluster: files keep no data of Secrets', [
      'Leave out --from.',
    ]);
  return release;
}

/** Only what Helm would delete of a release is shown: we uninstall nothing. */
export function refuseUninstall(
  release: string,
  flags: {
    readonly preview?: boolean;
    readonly compare?: boolean;
    readonly namespace?: string | undefined;
  },
): void {
  if (flags.preview || flags.compare) return;
  const where = inNamespace({ namespace: flags.namespace ?? '' });
  const preview = shellCommand`kubectl gc delete ${`helm/${release}`} ${where} --preview`;
  throw usageError('helm/RELEASE can only be previewed: Helm itself deletes it, with its hooks', [
    suggested('To see what Helm would delete', preview),
    'To delete it: helm uninstall. Its flags have other names: --kube-context is the context.',
  ]);
}

/** What `helm uninstall` would delete of a release, as targets: the objects of its manifest and its own Secrets. */
export function targetsOfRelease(release: HelmRelease, types: ResourceTypes) {
  const { namespace: home, name: title, objects, secrets, preDelete } = release;
  const { leftHooks, leftDefinitions } = release;
  const source = `helm/${title}`;
  const going = objects.filter(({ isKept }) => !isKept);
  // A kind that is not served has no objects.
  const targets = going.flatMap(({ apiVersion, kind, namespace, name }) => {
    const type = types.find(apiVersion, kind);
    if (!type) return [];
    return [{ type, namespace: type.namespaced ? namespace || home : '', name, source }];
  });
  const secretType = types.find('v1', 'Secret');
  const own = secrets.flatMap((name) =>
    secretType ? [{ type: secretType, namespace: home, name, source }] : [],
  );
  const kept = objects.filter(({ isKept }) => isKept).map(({ kind, name }) => `${kind} ${name}`);
  const notes = [
    `helm uninstall deletes ${counted(going.length, 'object')} of release ${home}/${title}, revision ${release.revision} (${release.status}), and ${counted(secrets.length, 'Secret')} that hold it.`,
    ...(kept.length > 0 ? [`It leaves ${kept.join(', ')}: helm.sh/resource-policy is keep.`] : []),
    ...(leftHooks.length > 0 ? [`It leaves hooks, where they exist: ${firstOf(leftHooks)}.`] : []),
    ...(leftDefinitions.length > 0
      ? [`It leaves the definitions of the chart's folder crds: ${firstOf(leftDefinitions)}.`]
      : []),
    ...(preDelete.length > 0 ? [`Before that it runs the hook ${preDelete.join(', ')}.`] : []),
  ];
  const all = [...targets, ...own].map((target, position) => ({ ...target, position }));
  return { targets: all, failures: [], notes };
}

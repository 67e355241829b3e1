import type { ClusterClient } from '../../client/cluster-client.ts';
import type { ResourceTypes } from '../../kube/resource-types.ts';
import type { DeleteFlags } from './delete-options.ts';
import type { DeletionTarget, ResolvedTargets } from './deletion-target.ts';
import { expandPaths } from './expand-paths.ts';
import type { Failure } from './failure.ts';
import { type NamedThings, namedThings } from './target-arguments.ts';
import { targetsOfArguments, typesToSelect } from './targets-of-arguments.ts';
import { type LoadedManifest, loadManifests, targetsOfFiles } from './targets-of-files.ts';

/** What the command line names, read as far as it can be without a cluster. */
export interface ReadCommandLine {
  readonly named: NamedThings;
  readonly manifests: readonly LoadedManifest[];
}

/** Checks the arguments and reads the files, in kubectl's order; nothing is contacted. */
export async function readCommandLine(
  args: readonly string[],
  flags: DeleteFlags,
): Promise<ReadCommandLine> {
  const { sources, faults } = await expandPaths(flags.filename ?? [], flags.recursive ?? false);
  const named = namedThings(args, flags, faults);
  if (named.by !== 'files') return { named, manifests: [] };
  const kustomization = flags.kustomize
    ? [{ kind: 'kustomization', name: flags.kustomize } as const]
    : [];
  return { named, manifests: await loadManifests([...sources, ...kustomization]) };
}

export interface NamingScope {
  /** In force for what names none; empty with --all-namespaces. */
  readonly namespace: string;
  /** `--namespace` was given. */
  readonly explicit: boolean;
}

export function namingScope(flags: DeleteFlags, inForce: string): NamingScope {
  const explicit = (flags.namespace ?? '') !== '';
  return { namespace: flags['all-namespaces'] ? '' : inForce, explicit };
}

/** The objects to delete, in kubectl's order. Only selectors ask the cluster. */
export async function resolveTargets(
  { named, manifests }: ReadCommandLine,
  types: ResourceTypes,
  flags: DeleteFlags,
  scope: NamingScope,
  client: ClusterClient,
): Promise<ResolvedTargets> {
  switch (named.by) {
    case 'files':
      return targetsOfFiles(manifests, types, {
        namespace: scope.namespace,
        enforced: scope.explicit,
        selector: flags.selector ?? '',
      });
    case 'selector':
      return listTargets(named.types, types, flags, scope, client);
    default:
      return targetsOfArguments(named, types, {
        namespace: scope.namespace,
        all: flags['all-namespaces'] ?? false,
      });
  }
}

async function listTargets(
  words: string,
  types: ResourceTypes,
  flags: DeleteFlags,
  { namespace }: NamingScope,
  client: ClusterClient,
): Promise<ResolvedTargets> {
  const { listBySelector } = await import('./list-by-selector.ts');
  const selectors = {
    selector: (flags.selector ?? '').trim(),
    fieldSelector: (flags['field-selector'] ?? '').trim(),
  };
  const targets: DeletionTarget[] = [];
  const failures: Failure[] = [];
  for (const type of typesToSelect(words, types)) {
    const listed = await listBySelector(client, type, namespace, selectors);
    targets.push(...listed.targets);
    if (listed.failure) failures.push(listed.failure);
  }
  return { targets, failures, notes: [] };
}

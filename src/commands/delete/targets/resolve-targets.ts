import { failureOf } from '../../../cluster/api-failure.ts';
import { objectPath } from '../../../cluster/api-path.ts';
import { askingOnce } from '../../../cluster/asking-once.ts';
import { clusterIdentity } from '../../../cluster/cluster-identity.ts';
import type { ApiResponse, ClusterClient } from '../../../cluster/connection/cluster-client.ts';
import { fullJson, get, metadataListOrJson, metadataOrJson } from '../../../cluster/get.ts';
import { atOnce, inParallel } from '../../../cluster/in-parallel.ts';
import { answeredItem } from '../../../cluster/list/answered-list.ts';
import { jsonPages } from '../../../cluster/list/list-in-full.ts';
import { readBody } from '../../../cluster/read-body.ts';
import { amongBuiltIn } from '../../../kube/core-types.ts';
import { recordOf } from '../../../kube/record-codec.ts';
import type { ResourceTypes } from '../../../kube/resource-types.ts';
import { type Failure, failureIn, whenDeleting } from '../../../perform/failure.ts';
import type { DeleteFlags } from '../../../shell/flags/delete-options.ts';
import {
  refuseUninstall,
  releaseNamed,
  targetsOfRelease,
} from '../../../shell/input/targets-of-release.ts';
import { endedSelectorOf } from './ended-selector.ts';
import { expandPaths, kustomize } from './load-source.ts';
import {
  type CommandLine,
  namedThings,
  targetsOfArguments,
  typesToSelect,
} from './target-arguments.ts';
import {
  type DeletionTarget,
  loadManifests,
  type NamingScope,
  type ResolvedTargets,
  targetsOfFiles,
} from './targets-of-files.ts';

/** Checks the arguments and reads the files that they name; nothing is contacted. */
export async function readCommandLine(
  args: readonly string[],
  flags: DeleteFlags,
): Promise<CommandLine> {
  const named = namedThings(args, flags);
  const release = named.by === 'arguments' ? releaseNamed(args, flags) : undefined;
  if (release !== undefined) {
    refuseUninstall(release, flags);
    return { by: 'release', release };
  }
  if (named.by !== 'files') return named;
  const { filename, kustomize: folder = '', recursive = false } = flags;
  const sources = filename
    ? await expandPaths(filename, recursive)
    : [{ name: folder, load: () => kustomize(folder) }];
  return { by: 'files', manifests: await loadManifests(sources) };
}

export function namingScope(flags: DeleteFlags, inForce: string): NamingScope {
  const { namespace: given = '' } = flags;
  return { namespace: flags['all-namespaces'] ? '' : given || inForce, explicit: given !== '' };
}

/** The objects to delete, in kubectl's order. Only selectors and releases ask the cluster. */
export async function resolveTargets(
  named: CommandLine,
  types: ResourceTypes,
  flags: DeleteFlags,
  scope: NamingScope,
  client: ClusterClient,
): Promise<ResolvedTargets> {
  if (named.by === 'release') {
    const { readHelmRelease } = await import('../../../cluster/helm-release.ts');
    return targetsOfRelease(await readHelmRelease(client, scope.namespace, named.release), types);
  }
  return named.by === 'selector'
    ? listTargets(named.types, types, flags, scope, client)
    : namedTargets(named, types, flags, scope);
}

export function namedTargets(
  named: Extract<CommandLine, { by: 'files' | 'arguments' }>,
  types: ResourceTypes,
  flags: DeleteFlags,
  scope: NamingScope,
): ResolvedTargets {
  if (named.by === 'files') {
    return targetsOfFiles(named.manifests, types, scope, flags.selector ?? '');
  }
  const all = flags['all-namespaces'] ?? false;
  return targetsOfArguments(named.args, types, { ...scope, all });
}

async function listTargets(
  words: string,
  types: ResourceTypes,
  flags: DeleteFlags,
  { namespace }: NamingScope,
  client: ClusterClient,
): Promise<ResolvedTargets> {
  const ended = endedSelectorOf(flags);
  const selector = (flags.selector ?? '').trim();
  const fieldSelector = (flags['field-selector'] ?? '').trim();
  const targets: DeletionTarget[] = [];
  const failures: Failure[] = [];
  for (const type of typesToSelect(words, types, ended)) {
    const query = new URLSearchParams({
      limit: String(pageSize),
      ...(selector && { labelSelector: selector }),
      ...(fieldSelector && { fieldSelector }),
    });
    const path = `${objectPath(type, namespace)}?${query}`;
    // Whether it has ended is in its status.
    const accept = ended ? fullJson : metadataListOrJson;
    try {
      for await (const { items, serverTime } of jsonPages(client, path, { type, accept })) {
        const now = serverTime === undefined ? Date.now() : Date.parse(serverTime);
        for (const item of items) {
          const record = recordOf(item, type);
          if (ended && !ended.matches(record, now)) continue;
          const { namespace, name } = record;
          targets.push({ type, namespace, name, record, position: targets.length });
        }
      }
    } catch (error) {
      failures.push(failureIn(error));
    }
  }
  return { targets, failures, notes: [] };
}

const pageSize = 500;

/** What is asked for beside discovery: which cluster this is, and what arguments name, by path. */
export interface AskedAhead {
  readonly where: ReturnType<typeof clusterIdentity>;
  readonly objects: Map<string, Promise<ApiResponse>>;
}

/** Requests lists before discovery has ended: it nearly always confirms the built-in kinds; else the answers are dropped. */
export function askAhead(
  client: ClusterClient,
  named: CommandLine,
  flags: DeleteFlags,
): AskedAhead {
  // The body of each answer is read without delay: a request whose body is never read does not end.
  const reading = askingOnce(client, { paths: /^/ });
  const objects = new Map(
    builtInPaths(client, named, flags).map((path) => [
      path,
      get(reading, path, metadataOrJson, {}),
    ]),
  );
  const where = clusterIdentity(client);
  for (const asked of [where, ...objects.values()]) asked.catch(() => undefined);
  return { where, objects };
}

/** Of what arguments name, each once. */
function builtInPaths(client: ClusterClient, named: CommandLine, flags: DeleteFlags): string[] {
  if (named.by !== 'arguments') return [];
  const scope = namingScope(flags, client.namespace);
  const { targets = [] } = amongBuiltIn((types) => namedTargets(named, types, flags, scope)) ?? {};
  const paths = targets.map(({ type, namespace, name }) => objectPath(type, namespace, name));
  return [...new Set(paths)].slice(0, atOnce.short);
}

/** Asks for every named object that no list has shown, so that the deletion can be planned and be bound to its uid. */
export async function getTargets(
  client: ClusterClient,
  targets: readonly DeletionTarget[],
  ahead: AskedAhead['objects'] = new Map(),
): Promise<DeletionTarget[]> {
  return inParallel(targets, atOnce.short, async (target) =>
    target.record || target.failure
      ? target
      : { ...target, ...(await getTarget(client, target, ahead)) },
  );
}

async function getTarget(
  client: ClusterClient,
  { type, namespace, name, source }: DeletionTarget,
  ahead: AskedAhead['objects'],
): Promise<Pick<DeletionTarget, 'record' | 'failure'>> {
  try {
    const path = objectPath(type, namespace, name);
    const asked = ahead.get(path);
    // One that is named twice is asked for twice: an answer can be read once.
    ahead.delete(path);
    const response = await (asked ?? get(client, path, metadataOrJson, {}));
    if (response.status !== 200) throw await failureOf(response);
    return { record: recordOf(answeredItem(await readBody(response), name), type) };
  } catch (error) {
    return { failure: whenDeleting(source, failureIn(error)) };
  }
}

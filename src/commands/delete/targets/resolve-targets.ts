import type { ClusterClient } from '../../../cluster/connection/cluster-client.ts';
import { get, metadataListOrJson, metadataOrJson, serverTimeOf } from '../../../cluster/get.ts';
import { inParallel } from '../../../cluster/in-parallel.ts';
import { answeredItem, answeredList, Pages } from '../../../cluster/list/answered-list.ts';
import { readBody } from '../../../cluster/read-body.ts';
import type { ObjectRecord } from '../../../kube/object-record.ts';
import { recordOf } from '../../../kube/record-codec.ts';
import { objectPath, type ResourceType } from '../../../kube/resource-type.ts';
import type { ResourceTypes } from '../../../kube/resource-types.ts';
import { type Failure, failureOf, readAnswer, whenDeleting } from '../../../perform/failure.ts';
import type { DeleteFlags } from '../../../shell/flags/delete-options.ts';
import { type EndedSelector, endedSelectorOf } from '../../../shell/input/ended-selector.ts';
import { expandPaths } from './load-source.ts';
import {
  type DeletionTarget,
  type Named,
  namedThings,
  type ResolvedTargets,
  targetsOfArguments,
  typesToSelect,
} from './target-arguments.ts';
import {
  type LoadedManifest,
  loadManifests,
  type NamingScope,
  targetsOfFiles,
} from './targets-of-files.ts';

/** What the command line names, read as far as it can be without a cluster. */
export type CommandLine =
  | Exclude<Named, { by: 'files' }>
  | { readonly by: 'files'; readonly manifests: readonly LoadedManifest[] };

/** Checks the arguments and reads the files, in kubectl's order; nothing is contacted. */
export async function readCommandLine(
  args: readonly string[],
  flags: DeleteFlags,
): Promise<CommandLine> {
  const { sources, faults } = await expandPaths(flags.filename ?? [], flags.recursive ?? false);
  const named = namedThings(args, flags, faults);
  if (named.by !== 'files') return named;
  const kustomization = flags.kustomize
    ? [{ kind: 'kustomization', name: flags.kustomize } as const]
    : [];
  return { ...named, manifests: await loadManifests([...sources, ...kustomization]) };
}

export function namingScope(flags: DeleteFlags, inForce: string): NamingScope {
  const { namespace: given = '' } = flags;
  return { namespace: flags['all-namespaces'] ? '' : given || inForce, explicit: given !== '' };
}

/** The objects to delete, in kubectl's order. Only selectors ask the cluster. */
export async function resolveTargets(
  named: CommandLine,
  types: ResourceTypes,
  flags: DeleteFlags,
  scope: NamingScope,
  client: ClusterClient,
): Promise<ResolvedTargets> {
  return named.by === 'selector'
    ? listTargets(named.types, types, flags, scope, client)
    : namedTargets(named, types, flags, scope);
}

/** The objects that files or arguments name. */
export function namedTargets(
  named: Exclude<CommandLine, { by: 'selector' }>,
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
  const selectors = { ...serverSelectors(flags), ended: endedSelectorOf(flags) };
  const targets: DeletionTarget[] = [];
  const failures: Failure[] = [];
  const selected = typesToSelect(words, types);
  for (const type of selected) selectors.ended?.check(type);
  for (const type of selected) {
    const listed = await listBySelector(client, type, namespace, selectors);
    for (const target of listed.targets) targets.push(target);
    if (listed.failure) failures.push(listed.failure);
  }
  return { targets, failures, notes: [] };
}

const pageSize = 500;

function serverSelectors({ selector = '', 'field-selector': fieldSelector = '' }: DeleteFlags) {
  return { selector: selector.trim(), fieldSelector: fieldSelector.trim() };
}

/** The objects of a type that the server's selectors match, in the server's order. */
async function listBySelector(
  client: ClusterClient,
  type: ResourceType,
  namespace: string,
  selectors: ReturnType<typeof serverSelectors> & { readonly ended: EndedSelector | undefined },
): Promise<{ readonly targets: readonly DeletionTarget[]; readonly failure?: Failure }> {
  const pages = new Pages();
  const targets: DeletionTarget[] = [];
  let token = '';
  do {
    const query = new URLSearchParams({
      limit: String(pageSize),
      ...(selectors.selector !== '' && { labelSelector: selectors.selector }),
      ...(selectors.fieldSelector !== '' && { fieldSelector: selectors.fieldSelector }),
      ...(token !== '' && { continue: token }),
    });
    const path = `${objectPath(type, namespace)}?${query}`;
    // Whether it has ended is in its status.
    const accept = selectors.ended ? 'application/json' : metadataListOrJson;
    const response = await get(client, path, accept, {});
    const now = Date.parse(serverTimeOf(response) ?? new Date().toISOString());
    if (response.status !== 200) {
      return { targets, failure: worded(await failureOf(response), type, selectors) };
    }
    // What is not a list must not count as an empty one.
    const page = await readAnswer(async () =>
      pages.checked(answeredList(await readBody(response), type)),
    );
    if ('message' in page) return { targets, failure: worded(page, type, selectors) };
    for (const item of page.items) {
      const record = recordOf(item, type);
      if (selectors.ended && !selectors.ended.matches(record, now)) continue;
      targets.push({ type, namespace: record.namespace, name: record.name, record });
    }
    token = page.continue;
  } while (token !== '');
  return { targets };
}

/** For a request that makes no sense, kubectl repeats what was asked for. */
function worded(
  failure: Failure,
  { group, version, resource }: ResourceType,
  { selector, fieldSelector }: ReturnType<typeof serverSelectors>,
): Failure {
  const code = failure.status?.code;
  if (code !== 400 && code !== 404) return failure;
  const what = `"${group === '' ? '' : group}/${version}, Resource=${resource}"`;
  const message =
    selector === '' && fieldSelector === ''
      ? `Unable to list ${what}: ${failure.message}`
      : `Unable to find ${what} that match label selector "${selector}", field selector "${fieldSelector}": ${failure.message}`;
  return { ...failure, message };
}

/** A named object, and what the cluster says of it. */
export interface GottenTarget {
  readonly target: DeletionTarget;
  /** Its place in kubectl's order. */
  readonly position: number;
  readonly record?: ObjectRecord;
  readonly failure?: Failure;
}

const concurrency = 8;

/** Asks for every named object that no list has shown, so that the deletion can be planned and be bound to its uid. */
export async function getTargets(
  client: ClusterClient,
  targets: readonly DeletionTarget[],
): Promise<GottenTarget[]> {
  return inParallel([...targets.entries()], concurrency, async ([position, target]) => ({
    target,
    position,
    ...(target.refusal ? { failure: target.refusal } : await getTarget(client, target)),
  }));
}

async function getTarget(
  client: ClusterClient,
  { type, namespace, name, source, record }: DeletionTarget,
): Promise<Pick<GottenTarget, 'record' | 'failure'>> {
  if (record) return { record };
  const path = objectPath(type, namespace, name);
  const response = await get(client, path, metadataOrJson, {});
  if (response.status !== 200) {
    return { failure: whenDeleting(source, await failureOf(response)) };
  }
  const answer = await readAnswer(async () => ({
    record: recordOf(answeredItem(await readBody(response), name), type),
  }));
  return 'record' in answer ? answer : { failure: whenDeleting(source, answer) };
}

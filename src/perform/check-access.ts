import { type Access, type DeniedAccess, deniedAmong } from '../cluster/write/access-reviews.ts';
import {
  type CommandPlace,
  nowhere,
  printedCommand,
  shellCommand,
} from '../command-line/shell-command.ts';
import type { Plan, PlannedRequest, PlanRefusal } from '../deletion/plan/plan.ts';
import type { ObjectRecord } from '../kube/object-record.ts';
import { type ObjectReference, referenceTo } from '../kube/object-reference.ts';
import { groupResourceOf } from '../kube/resource-type.ts';
import type { ResourceTypes } from '../kube/resource-types.ts';
import { messageOf } from './failure.ts';
import { orInterrupted } from './interrupted.ts';
import { refusalError } from './limits.ts';
import type { PlanCluster } from './perform-options.ts';
import { rehearseDelete } from './send/send-delete.ts';

/** Asks the server before the first request whether all of them are permitted; throws where one is not. */
export async function checkAccess(
  requests: readonly PlannedRequest[],
  cluster: PlanCluster,
  report: (line: string) => unknown,
  signal: AbortSignal,
): Promise<void> {
  const denied = await deniedRequests(requests, cluster, signal);
  if (denied.length > 0) {
    await orInterrupted(reportServersWords(requests, denied, cluster, report), signal);
  }
  refuseDenied(denied, cluster.place);
}

/** Asks what will be asked before the requests, while the deletion of these objects is planned: over a connection that asks once. */
export function askAccessAhead(
  targets: readonly ObjectRecord[],
  cluster: PlanCluster,
  signal: AbortSignal,
): void {
  const requests = targets.map((target) => ({ verb: 'delete' as const, ...referenceTo(target) }));
  // A failed review is repeated, and reported then.
  deniedRequests(requests, cluster, signal).catch(() => undefined);
}

/** What of a plan is not permitted, in one line for a preview. */
export async function accessRefusals(
  { requests }: Pick<Plan, 'requests'>,
  cluster: PlanCluster,
  signal: AbortSignal,
): Promise<PlanRefusal[]> {
  const [first, ...others] = await deniedRequests(requests, cluster, signal);
  if (!first) return [];
  const more = others.length > 0 ? `, and ${others.length} more` : '';
  const message = `you may not ${first.verb} it: ${deniedPlace(first)}${more}`;
  return [{ code: 'not-permitted', message, suggestions: [] }];
}

/** Asks the same for what fixes would do, before any is rehearsed. */
export async function checkFixAccess(
  fixes: readonly (Pick<Access, 'verb' | 'subresource'> & { readonly object: ObjectReference })[],
  { client, types, place }: PlanCluster,
  signal: AbortSignal,
): Promise<void> {
  const accesses = fixes.flatMap(({ verb, subresource, object }) => {
    const { namespace, name } = object;
    const type = types.find(object.apiVersion, object.kind);
    return type ? { verb, subresource, type, namespace, name } : [];
  });
  const asked = deniedAmong(client, accesses, signal);
  refuseDenied(await orInterrupted(asked, signal), place);
}

/**
 * Asks the server whether the requests are permitted, before any of them is sent; answers what is denied. What is not
 * served any more is refused when it is sent.
 * @internal
 */
export function deniedRequests(
  requests: readonly PlannedRequest[],
  { client, types }: Pick<PlanCluster, 'client' | 'types'>,
  signal: AbortSignal,
): Promise<DeniedAccess[]> {
  const accesses = requests.flatMap((request) => accessesOf(request, types));
  return orInterrupted(deniedAmong(client, accesses, signal), signal);
}

function refuseDenied([first, ...more]: readonly DeniedAccess[], place: CommandPlace): void {
  if (!first) return;
  const suggestions = [
    first.reason,
    ...more.slice(0, 9).map((each) => norOn(each, first)),
    `To see what is permitted: ${printedCommand(shellCommand`kubectl auth can-i --list`, place)}`,
    `For the roles that a command needs: ${printedCommand(shellCommand`kubectl gc rbac`, nowhere)}`,
  ];
  throw refusalError({ code: 'not-permitted', message: deniedInWords(first), suggestions });
}

const mostRehearsals = 10;

/** Rehearsed requests are refused for the same reason, in the words that kubectl would show. */
async function reportServersWords(
  requests: readonly PlannedRequest[],
  denied: readonly DeniedAccess[],
  { client, types }: PlanCluster,
  report: (line: string) => unknown,
): Promise<void> {
  let notes = 0;
  for (const {
    apiVersion,
    kind,
    namespace,
    name,
    propagationPolicy: policy = 'Background',
  } of requests) {
    const type = types.find(apiVersion, kind);
    const isDenied = denied.some(
      (each) =>
        each.verb === 'delete' &&
        type !== undefined &&
        groupResourceOf(each.type) === groupResourceOf(type) &&
        each.namespace === namespace &&
        (each.name === undefined || each.name === name),
    );
    if (!type || !isDenied || notes === mostRehearsals) continue;
    notes += 1;
    const { failure } = await rehearseDelete(client, { type, namespace, name }, { policy });
    if (failure?.status) await report(messageOf(failure));
  }
}

function deniedInWords(denied: DeniedAccess): string {
  return `${denied.verb} is not permitted on ${deniedPlace(denied)}`;
}

function norOn(denied: DeniedAccess, first: DeniedAccess): string {
  return denied.verb === first.verb
    ? `Nor on ${deniedPlace(denied)}.`
    : `And ${deniedInWords(denied)}.`;
}

function deniedPlace({ type, subresource, namespace, name }: DeniedAccess): string {
  const part = subresource === undefined ? '' : `/${subresource}`;
  const kind = `${groupResourceOf(type)}${part}`;
  const object = name === undefined ? kind : `${kind} "${name}"`;
  return namespace === '' ? object : `${object} in namespace "${namespace}"`;
}

/** All that is done for a request. */
function accessesOf(
  { verb, patch, node, apiVersion, kind, namespace, name }: PlannedRequest,
  types: ResourceTypes,
): Access[] {
  const type = types.find(apiVersion, kind);
  if (!type) return [];
  const object = { type, namespace, name };
  const nodes = node && types.find('v1', 'Node');
  return [
    ...(verb === 'delete' ? [{ verb, ...object }] : []),
    ...(patch ? [{ verb: 'patch' as const, ...object, subresource: patch.subresource }] : []),
    ...(nodes ? [{ verb: 'get' as const, type: nodes, namespace: '', name: node.name }] : []),
  ];
}

import { GcError, isGcError, withAdvice } from '../../errors.ts';
import { namespaceType } from '../../kube/core-types.ts';
import { counted } from '../../kube/counts-by-kind.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { isNamespace } from '../../kube/well-known-kinds.ts';
import { coverageIndexOf } from '../../snapshot/coverage.ts';
import { isOfCluster, type Snapshot } from '../../snapshot/snapshot.ts';
import type { CommonFlags } from '../flags/flags.ts';
import { writeErr } from '../terminal/streams.ts';
import { type AllNamespaces, askedNamespace, otherNamespaces } from './scope.ts';
import type { Session } from './session.ts';
import { type NamedTarget, nearNames, selectObjects } from './targets.ts';

/** A question, what was read for it so far, and its namespace on a cluster where that is not the one of `-n`. */
export interface Asked {
  readonly flags: CommonFlags & AllNamespaces;
  /** Undefined: nothing more can be asked. */
  readonly session?: Pick<Session, 'cluster'> | undefined;
  readonly snapshot?: Snapshot | undefined;
  readonly defaultNamespace?: string | undefined;
}

/**
 * Throws where the namespace that a question is about does not exist: that nothing was found in it would pass for an
 * all-clear. Warns where it does not exist although objects are in it.
 */
export async function refuseMissingNamespace(asked: Asked): Promise<void> {
  const name = namespaceInQuestion(asked);
  if (name !== undefined) await refuseWhereMissing(asked, name);
}

async function refuseWhereMissing(asked: Asked, name: string): Promise<void> {
  if (!(await isMissing(asked, name))) return warnWhereLost(asked, name);
  const { records = [] } = asked.snapshot ?? {};
  const near = nearNames(name, records.filter(isNamespace));
  const others = asked.flags.from ? otherNamespaces(records, name) : undefined;
  throw new GcError(namespaceNotFound(name), {
    code: 'not-found',
    suggestions: [
      ...(near.length > 0 ? [`Did you mean ${near.join(' or ')}?`] : []),
      others ?? 'Check the name and the context, or ask about all namespaces with -A.',
    ],
  });
}

/** The same error with that as its reason, where an object was not found because its namespace does not exist. */
export async function withMissingNamespace(error: unknown, asked: Asked): Promise<unknown> {
  if (!isGcError(error) || error.code !== 'not-found') return error;
  const name = await missingNamespace(asked);
  if (name === undefined) return error;
  return withAdvice(error, [namespaceNotFound(name), ...error.advice]);
}

/** Objects of a snapshot by their names, as selectObjects selects them. */
export async function selectNamed(
  asked: Asked & { readonly snapshot: Snapshot },
  targets: readonly NamedTarget[],
  namespace: string | undefined,
): Promise<ObjectRecord[]> {
  try {
    const selected = selectObjects(asked.snapshot, targets, namespace);
    warnOfLostNamespace(asked);
    return selected;
  } catch (error) {
    throw await withMissingNamespace(error, asked);
  }
}

/** In the words of the API server. */
export function namespaceNotFound(name: string): string {
  return `namespaces "${name}" not found`;
}

/** The namespace that is asked about, where it is certain that it does not exist. */
export async function missingNamespace(asked: Asked): Promise<string | undefined> {
  const name = namespaceInQuestion(asked);
  return name !== undefined && (await isMissing(asked, name)) ? name : undefined;
}

async function isMissing({ flags, session, snapshot }: Asked, name: string): Promise<boolean> {
  const cluster = flags.from ? undefined : await session?.cluster();
  // A namespace that is deleted while it is watched is empty from then on.
  if (cluster?.following && cluster.following.changes > 0) return false;
  const isListed = snapshot && listsNamespace(snapshot, name);
  if (isListed !== undefined) return !isListed;
  if (!cluster) return false;
  const at = { type: namespaceType, namespace: '', name };
  const { getObject } = await import('../../cluster/list/get-objects.ts');
  const { record, problem } = await getObject(cluster.client, at);
  return !record && !problem;
}

/**
 * Warns where the namespace that is asked about does not exist, and objects are in it: after a restore of etcd, or in files that
 * were put together. The namespace controller never deletes them.
 */
export function warnOfLostNamespace(asked: Asked): void {
  const name = namespaceInQuestion(asked);
  if (name !== undefined) warnWhereLost(asked, name);
}

function warnWhereLost({ snapshot }: Asked, name: string): void {
  if (!snapshot || isListed(snapshot, name) !== false) return;
  const count = snapshot.records.filter(({ namespace }) => namespace === name).length;
  if (count === 0) return;
  const exist = count === 1 ? 'exists' : 'exist';
  writeErr(`Warning: ${namespaceNotFound(name)}, but ${counted(count, 'object')} ${exist} in it`);
}

/** Warns of a missing or lost namespace, for commands that have another answer to print. */
export async function warnOfNamespace(asked: Asked): Promise<void> {
  const name = await missingNamespace(asked);
  if (name === undefined) warnOfLostNamespace(asked);
  else writeErr(`Warning: ${namespaceNotFound(name)}`);
}

/** The namespace that is asked about; undefined: all of them. */
function namespaceInQuestion({ flags, defaultNamespace }: Asked): string | undefined {
  return defaultNamespace ?? askedNamespace(flags);
}

/** Was this namespace listed, or anything in it? Undefined: what was read does not show whether it exists. */
function listsNamespace(snapshot: Snapshot, name: string): boolean | undefined {
  return snapshot.records.some(({ namespace }) => namespace === name) || isListed(snapshot, name);
}

/** Was the Namespace itself listed? */
function isListed(snapshot: Snapshot, name: string): boolean | undefined {
  const namespaces = snapshot.records.filter(isNamespace);
  if (namespaces.some((one) => one.name === name)) return true;
  const isWhole = coverageIndexOf(snapshot.coverage).coversKind(namespaceType, '');
  // Manifests name namespaces that may not be there yet, and leave out others that are.
  const isOfOne = isOfCluster(snapshot) || namespaces.some(({ uid }) => uid !== '');
  return isWhole && isOfOne ? false : undefined;
}

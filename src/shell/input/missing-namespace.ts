import { GcError, isGcError, withAdvice } from '../../errors.ts';
import { namespaceType } from '../../kube/core-types.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { isNamespace } from '../../kube/well-known-kinds.ts';
import { coverageIndexOf } from '../../snapshot/coverage.ts';
import { isOfCluster, type Snapshot } from '../../snapshot/snapshot.ts';
import type { CommonFlags } from '../flags/flags.ts';
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
 * all-clear.
 */
export async function refuseMissingNamespace(asked: Asked): Promise<void> {
  const name = await missingNamespace(asked);
  if (name === undefined) return;
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
    return selectObjects(asked.snapshot, targets, namespace);
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
  const { flags, session, snapshot } = asked;
  const { defaultNamespace: name = askedNamespace(flags) } = asked;
  if (name === undefined) return undefined;
  const cluster = flags.from ? undefined : await session?.cluster();
  // A namespace that is deleted while it is watched is empty from then on.
  if (cluster?.following && cluster.following.changes > 0) return undefined;
  const isListed = snapshot && listsNamespace(snapshot, name);
  if (isListed !== undefined) return isListed ? undefined : name;
  if (!cluster) return undefined;
  const at = { type: namespaceType, namespace: '', name };
  const { getObject } = await import('../../cluster/list/get-objects.ts');
  const { record, problem } = await getObject(cluster.client, at);
  return record || problem ? undefined : name;
}

/** Was this namespace listed? Undefined: what was read does not show whether it exists. */
function listsNamespace(snapshot: Snapshot, name: string): boolean | undefined {
  const { records, coverage } = snapshot;
  if (records.some(({ namespace }) => namespace === name)) return true;
  const namespaces = records.filter(isNamespace);
  if (namespaces.some((one) => one.name === name)) return true;
  const isWhole = coverageIndexOf(coverage).coversKind(namespaceType, '');
  // Manifests name namespaces that may not be there yet, and leave out others that are.
  const isOfOne = isOfCluster(snapshot) || namespaces.some(({ uid }) => uid !== '');
  return isWhole && isOfOne ? false : undefined;
}

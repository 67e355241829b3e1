import type { ObjectRecord } from '../../../kube/object-record.ts';
import type { ObjectLocation } from '../../../kube/object-reference.ts';
import { printedKindOf } from '../../../kube/resource-type.ts';
import { printable } from '../../../output/printable.ts';
import type { DryRun } from '../delete-options.ts';
import type { Failure } from './failure.ts';

/** One object that the command line, a file or a selector names, whether it is there or not. */
export interface DeletionTarget extends ObjectLocation {
  /** The file that names it, as kubectl calls it: `web.yaml`, `STDIN`. */
  readonly source?: string;
  /** Where a list has shown it already. */
  readonly record?: ObjectRecord;
  /** Why it may not be taken as it is named, such as one in another namespace. */
  readonly refusal?: Failure;
}

export interface ResolvedTargets {
  /** In the order in which kubectl would delete them; one that is named twice is here twice. */
  readonly targets: readonly DeletionTarget[];
  /** What could not be found out: unknown kinds, unreadable documents, lists that were refused. */
  readonly failures: readonly Failure[];
  readonly notes: readonly string[];
}

interface Wording {
  readonly output: string | undefined;
  readonly gracePeriodSeconds: number | undefined;
  readonly dryRun: DryRun;
}

/** kubectl's line for a request that was accepted: `pod "web" deleted from shop namespace`. */
export function deletedLine(
  { type, namespace, name }: DeletionTarget,
  { output, gracePeriodSeconds, dryRun }: Wording,
): string {
  const kind = printedKindOf(type);
  if (output === 'name') return `${printable(`${kind}/${name}`)}\n`;
  const deleted = gracePeriodSeconds === 0 ? 'force deleted' : 'deleted';
  const from = type.namespaced ? ` from ${namespace} namespace` : '';
  return `${printable(`${kind} "${name}" ${deleted}${from}`)}${suffixes[dryRun]}\n`;
}

export const suffixes: Readonly<Record<DryRun, string>> = {
  none: '',
  client: ' (dry run)',
  server: ' (server dry run)',
};

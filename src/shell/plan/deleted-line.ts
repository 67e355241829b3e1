import type { ObjectLocation } from '../../kube/object-reference.ts';
import { printedKindOf } from '../../kube/resource-type.ts';
import { printable } from '../../output/printable.ts';
import type { DryRun } from '../flags/delete-options.ts';

interface Wording {
  readonly output: string | undefined;
  readonly gracePeriodSeconds: number | undefined;
  readonly dryRun: DryRun;
}

/** kubectl's line for a request that was accepted: `pod "web" deleted from shop namespace`. */
export function deletedLine(
  { type, namespace, name }: ObjectLocation,
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

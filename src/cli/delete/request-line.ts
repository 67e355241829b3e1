import { printedKindOf } from '../../kube/resource-type.ts';
import type { PlannedRequest } from '../../plan/plan.ts';
import type { OpenedCluster } from '../input.ts';
import type { DryRun } from './delete-options.ts';
import { deletedLine, suffixes } from './deletion-target.ts';

/** kubectl's line for a request that was accepted: of delete, or of patch. */
export function requestLine(
  { verb, apiVersion, kind, namespace, name, gracePeriodSeconds }: PlannedRequest,
  types: OpenedCluster['types'],
  { dryRun, output }: { readonly dryRun: DryRun; readonly output: string | undefined },
): string {
  const type = types.find(apiVersion, kind);
  if (!type) throw new Error(`${apiVersion} ${kind} took a request and is not served`);
  if (verb === 'delete') {
    return deletedLine({ type, namespace, name }, { output, gracePeriodSeconds, dryRun });
  }
  const printed = `${printedKindOf(type)}/${name}`;
  return output === 'name' ? `${printed}\n` : `${printed} patched${suffixes[dryRun]}\n`;
}

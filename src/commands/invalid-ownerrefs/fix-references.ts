import { fixPatches } from '../../audit/fixes.ts';
import type { ReferenceFinding } from '../../audit/rules/reference-findings.ts';
import { GcError } from '../../errors.ts';
import { referenceTo } from '../../kube/object-reference.ts';
import { printedName, printedPlace } from '../../output/printable.ts';
import { checkFixAccess } from '../../perform/check-access.ts';
import { losesOwner } from '../../restore/relink/missing-references.ts';
import { type FixOptions, sendFixes } from '../../shell/fix/send-fixes.ts';
import type { OpenedCluster } from '../../shell/input/session.ts';
import type { Graph } from '../../snapshot/graph/graph.ts';
import { accessOf } from '../../why/fix/apply-fix.ts';
import { patchOf, type SentFix } from '../../why/fix-request.ts';

/** A patch for each object whose references can be fixed: it tests uid and references first. */
export function referenceFixes(graph: Graph, findings: readonly ReferenceFinding[]): SentFix[] {
  return fixPatches(findings).map(({ record, kept, patch }) => {
    const does = `change the owner references of ${printedName(referenceTo(record))}`;
    return { ...patchOf(record, does, '', patch), losesOwner: losesOwner(graph, record, kept) };
  });
}

/**
 * Asks whether all patches are permitted, rehearses each on the server, then asks, then sends those
 * that the server would take. An object that changed meanwhile is skipped. After Ctrl-C nothing more is
 * sent.
 */
export async function fixReferences(
  cluster: OpenedCluster,
  steps: readonly SentFix[],
  options: FixOptions,
): Promise<void> {
  await checkFixAccess(steps.map(accessOf), cluster, options.signal);
  const { refused } = await sendFixes(cluster, steps, options, {
    line: ({ object }, { outcome, message }, dryRun) => {
      const result = message === undefined ? 'patched' : `not patched: ${outcome}: ${message}`;
      return `${printedPlace(object)} ${result}${dryRun ? ' (server dry run)' : ''}`;
    },
    question: (count) => `Fix ${count === 1 ? 'this object' : `these ${count} objects`}?`,
    declined: 'Nothing was changed. Add --yes to apply the fixes.',
  });
  if (refused === 0) return;
  throw new GcError(`${refused} of ${steps.length} objects could not be fixed`, {
    code: 'not-fixed',
    suggestions: [
      'The lines above say why. Run the command again to judge the objects as they are now.',
    ],
  });
}

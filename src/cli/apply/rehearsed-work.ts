import type { PlannedPatch, PlannedRequest } from '../../plan/plan.ts';
import { identityOf } from '../../simulator/timeline.ts';
import type { Interruption } from '../delete/interruption.ts';
import type { OpenedCluster } from '../input.ts';
import type { DueWork, Work } from './work.ts';

/** Work after the server has rehearsed its patches, and how much of it the server would not take. */
export interface RehearsedWork {
  readonly work: Work;
  readonly refused: number;
}

/**
 * Rehearses the patches on the server. An object that does not take its patch is left alone: nothing
 * deletes it, the collector neither.
 */
export async function rehearsedWork(
  { client, types }: OpenedCluster,
  work: Work,
  { signal }: Interruption,
): Promise<RehearsedWork> {
  const { rehearsePatches } = await import('../../executor/rehearse-patches.ts');
  const requests = work.due.map(({ request }) => request);
  const rehearsed = await rehearsePatches(client, types, requests, signal);
  const due: DueWork[] = [];
  const leftAlone = [...work.leftAlone];
  for (const one of work.due) {
    const { refusal, generation } = rehearsed.get(one.record.uid) ?? {};
    if (refusal === undefined) {
      due.push({ ...one, request: withGeneration(one.request, generation) });
      continue;
    }
    const what = one.request.patch?.subresource ?? 'patch';
    const because = `the server does not take the ${what} that comes first, from the collector neither: ${refusal}`;
    leftAlone.push({ object: identityOf(one.record), because });
  }
  return { work: { ...work, due, leftAlone }, refused: work.due.length - due.length };
}

/** A pod's status says which generation of the pod it is about. */
function withGeneration(request: PlannedRequest, generation: number | undefined): PlannedRequest {
  const { patch } = request;
  if (patch?.subresource !== 'status' || request.kind !== 'Pod' || !generation) return request;
  return { ...request, patch: { ...patch, body: observed(patch, generation) } };
}

function observed({ body }: PlannedPatch, observedGeneration: number): PlannedPatch['body'] {
  const { conditions, ...status } = Object(body.status) as Record<string, unknown>;
  const judged = Array.isArray(conditions)
    ? { conditions: conditions.map((one) => ({ ...Object(one), observedGeneration })) }
    : {};
  return { ...body, status: { ...status, observedGeneration, ...judged } };
}

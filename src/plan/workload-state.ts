import type { ObjectRecord } from '../kube/object-record.ts';

/** A pod that has run to its end. */
export function finishedPod({ facts }: ObjectRecord): boolean {
  return facts?.phase === 'Succeeded' || facts?.phase === 'Failed';
}

export function isFinishedJob({ facts }: ObjectRecord): boolean {
  return (facts?.conditions ?? []).some(
    ({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True',
  );
}

/** The number at the end of a StatefulSet's pod's name. */
export function ordinalOf(name: string): number | undefined {
  const [, digits] = /-(\d{1,9})$/.exec(name) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

import type { Work } from './work.ts';

/** What of a second look at the cluster was seen and agreed to before; nothing is added. */
export function approvedPart(
  again: Work,
  approved: Work,
): { readonly work: Work; readonly dropped: number } {
  const known = new Map(approved.due.map((one) => [one.record.uid, one]));
  const due = again.due.flatMap((one) => {
    const before = known.get(one.record.uid);
    if (before?.request.verb !== one.request.verb) return [];
    // What the server has rehearsed is what is sent; a status is about the generation seen then.
    return [
      one.request.patch?.subresource === 'status' ? { ...one, request: before.request } : one,
    ];
  });
  const work = { ...again, due, leftAlone: approved.leftAlone };
  return { work, dropped: approved.due.length - due.length };
}

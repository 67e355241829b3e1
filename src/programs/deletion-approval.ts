import type { ObjectRecord } from '../kube/object-record.ts';

/** The user who may delete an object, and until when: what policies and the guard let pass. */
export const approvalAnnotations = {
  for: 'kubectl-gc.io/deletion-approved-for',
  until: 'kubectl-gc.io/deletion-approved-until',
} as const;

/** Objects with this label are protected from deletion. */
export const protectedLabel = { 'kubectl-gc.io/protected': 'true' } as const;

type Values = Readonly<Record<string, string>> | undefined;

/** Is the deletion of an object with these annotations approved for this user at this time, in epoch milliseconds? */
export function isApproved(annotations: Values, user: string, now: number): boolean {
  const until = annotations?.[approvalAnnotations.until] ?? '';
  return (
    annotations?.[approvalAnnotations.for] === user &&
    /^\d{4}-\d\d-\d\dT[\d:]{8}Z$/.test(until) &&
    Date.parse(until) > now
  );
}

export function isLabelledProtected(labels: Values): boolean {
  return Object.entries(protectedLabel).every(([name, value]) => labels?.[name] === value);
}

/** The webhook of the guard, which is asked about deletions of users alone; its annotations in audit logs begin so. */
export const guardWebhook = 'guard.kubectl-gc.io';

/** Is this webhook configuration of the guard? By its webhooks where they were read, else by the label of our chart. */
export function isGuard({ facts, labels }: Pick<ObjectRecord, 'facts' | 'labels'>): boolean {
  return facts?.webhooks
    ? facts.webhooks.some(({ name }) => name === guardWebhook)
    : labels?.['app.kubernetes.io/name'] === 'kubectl-gc';
}

/** How to approve a deletion, in one sentence. */
export const howToApprove = `annotate it with ${approvalAnnotations.for}=USER and ${approvalAnnotations.until}=TIME`;

/**
 * Programs of the control plane and of nodes, in CEL: they complete what somebody else began. By name, as a
 * matchCondition has it; a request has to satisfy all of them to be judged.
 */
export const askedByUser = [
  "!request.userInfo.username.startsWith('system:serviceaccount:kube-system:')",
  "!request.userInfo.username.startsWith('system:kube-')",
  "!request.userInfo.username.startsWith('system:node:')",
  "request.userInfo.username != 'system:apiserver'",
].join(' && ');

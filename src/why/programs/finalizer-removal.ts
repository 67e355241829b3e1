import { knownFinalizer } from '../../controllers/finalizers/known-finalizers.ts';
import type { SuggestedCommand } from '../../errors.ts';
import { firstOf } from '../../kube/counts-by-kind.ts';
import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { addressOf, shellCommand, suggested } from '../../kube/shell-command.ts';
import { type Link, linksOf } from '../chain.ts';
import { removalAge } from '../deletion-age.ts';
import { type FixRequest, removeFinalizer } from '../fix-request.ts';
import { type Evidence, type Inquiry, valueIn } from '../inquiry.ts';
import { type PossibleProgram, possiblePrograms } from './possible-programs.ts';

/** Whether a finalizer may be offered for removal. */
export interface Removal {
  /** `early`: no program was found, but the deletion is young. */
  readonly verdict: 'removable' | 'early' | 'unknown';
  /** A running program that may remove it. */
  readonly running?: string;
  readonly reasons: readonly string[];
  readonly evidence: readonly Evidence[];
  /** What the user can do where no removal is offered. */
  readonly next?: string;
  /** The command that removes it all the same, though its program may be at work. */
  readonly command?: SuggestedCommand;
}

/**
 * May a finalizer be removed if its program was not found by name? Only when everything that could
 * show the program was read, no running program may be it, and it had enough time to act.
 */
export function removalOf(
  inquiry: Inquiry,
  record: ObjectRecord,
  finalizer: string,
  isKnown: boolean,
): Removal {
  const young = tooYoung(inquiry, record);
  const command = insistence(record, finalizer);
  const ofFiles = inquiry.origin === 'files';
  if (ofFiles && isKnown) {
    return { verdict: young ? 'early' : 'removable', reasons: list(young), evidence: [] };
  }
  const { found, evidence, isComplete } = possiblePrograms(inquiry, record, finalizer, isKnown);
  if (found.length > 0) {
    return {
      verdict: 'unknown',
      running: `${finalizer}: a program that may remove it is running: ${namesOf(found)}`,
      reasons: [],
      evidence,
      next: `Look at the logs of ${found[0]?.title}.`,
      command,
    };
  }
  if (ofFiles) {
    const reasons = ['files do not show which programs may remove it'];
    const next = `Find out which program removes ${finalizer}, or ask the cluster.`;
    return { verdict: 'unknown', reasons, evidence: [], next, command };
  }
  if (!isComplete) {
    const reasons = ['whether another program that may remove it runs could not be read'];
    const next = 'Ask as a user who may list workloads, pods, Leases and RBAC.';
    return { verdict: 'unknown', reasons, evidence, next, command };
  }
  const none = isKnown ? [] : ['no program that may remove it is running'];
  if (young === undefined) return { verdict: 'removable', reasons: none, evidence };
  return {
    verdict: isKnown ? 'early' : 'unknown',
    reasons: [...none, young],
    evidence,
    next: 'Ask again later.',
    command,
  };
}

/** The command by which a user insists that a finalizer goes, of the object that has it. */
export function insistence(
  object: Parameters<typeof addressOf>[0],
  finalizer: string,
): SuggestedCommand {
  return suggested(
    'Only when you know that it is gone for good',
    shellCommand`kubectl gc why ${addressOf(object)} --fix --remove-finalizer ${finalizer}`,
  );
}

/** What is lost when a finalizer is removed. */
export function lossOf(finalizer: string): string {
  const known = knownFinalizer(finalizer);
  return known
    ? `what it protects is left behind: ${known.protects}`
    : 'it is unknown what it protects; whatever its program would have cleaned up is left behind';
}

/**
 * The fix that the user insists on: it removes this finalizer, whatever the chain says about it.
 */
export function insistedRemoval(
  inquiry: Inquiry,
  { type, namespace, name }: Pick<ObjectRecord, 'type' | 'namespace' | 'name'>,
  chain: Link,
  finalizer: string,
): FixRequest | undefined {
  const record = valueIn(inquiry.ask({ ask: 'object', type, namespace, name }));
  if (!record || !isBeingDeleted(record) || !record.finalizers.includes(finalizer))
    return undefined;
  const told = linksOf(chain).find(
    (link) => link.finalizer === finalizer && link.object.uid === record.uid,
  );
  const risks = [...(told ? [told.because] : []), lossOf(finalizer)];
  return { ...removeFinalizer(record, finalizer, risks.join('; ')), insisted: true };
}

function list(text: string | undefined): string[] {
  return text === undefined ? [] : [text];
}

function namesOf(found: readonly PossibleProgram[]): string {
  return firstOf(found.map(({ title, reason }) => `${title} (because ${reason})`));
}

/** What keeps a deletion from being old enough; undefined when it is. */
function tooYoung(inquiry: Inquiry, record: ObjectRecord): string | undefined {
  const { deletionTimestamp = '', deletionGracePeriodSeconds = 0 } = record;
  const began = Date.parse(deletionTimestamp) - deletionGracePeriodSeconds * 1000;
  const age = serverTime(inquiry, record) - began;
  if (age >= removalAge) return undefined;
  const minutes = removalAge / 60_000;
  const since = Number.isNaN(age)
    ? 'when the deletion began is unknown'
    : `the deletion began only ${Math.max(0, Math.round(age / 1000))}s ago`;
  return `${since}, and a program that failed may try again for up to ${minutes} minutes`;
}

/**
 * The moment at which the server answered, regardless of --now; for a file, the time of its
 * snapshot.
 */
function serverTime(inquiry: Inquiry, { type, namespace, name }: ObjectRecord): number {
  if (inquiry.origin === 'files') return inquiry.now;
  const reading = inquiry.ask({ ask: 'object', type, namespace, name });
  return reading.state === 'pending' ? Number.NaN : Date.parse(reading.readAt);
}

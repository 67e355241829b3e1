import {
  type Addressed,
  addressOf,
  shellCommand,
  suggested,
} from '../../command-line/shell-command.ts';
import type { SuggestedCommand } from '../../errors.ts';
import { firstOf } from '../../kube/counts-by-kind.ts';
import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { humanDuration } from '../../kube/time.ts';
import { knownFinalizer } from '../../programs/known-finalizers.ts';
import { type Link, linksOf } from '../chain.ts';
import { removalAge } from '../deletion-age.ts';
import { type FixRequest, removeFinalizer } from '../fix-request.ts';
import { type Evidence, type Inquiry, valueIn } from '../inquiry.ts';
import { type GradedProgram, gradedPrograms, type Wanted } from './graded-programs.ts';

/** Whether a finalizer may be offered for removal. */
export interface Removal {
  /**
   * `early`: no program was found, but the deletion is young. `forbidden`: what hints at a program, and RBAC does not let that
   * program remove the finalizer.
   */
  readonly verdict: 'removable' | 'early' | 'forbidden' | 'unknown';
  /** What hints at a program, in a sentence. */
  readonly hint?: string;
  readonly reasons: readonly string[];
  readonly evidence: readonly Evidence[];
  readonly programs: readonly GradedProgram[];
  /** What the user can do where no removal is offered. */
  readonly next?: string;
  /** The command that removes it all the same, though its program may be at work. */
  readonly command?: SuggestedCommand;
}

/**
 * May a finalizer be removed whose program, if any is named, does not run? Only when everything that could show another one was
 * read, no running program looks like it or may change the object, and it had enough time to act.
 */
export function finalizerRemoval(
  inquiry: Inquiry,
  record: ObjectRecord,
  finalizer: string,
  { named, isListed }: Pick<Wanted, 'named' | 'isListed'>,
): Removal {
  const ofFiles = inquiry.origin === 'files';
  if (ofFiles && isListed) {
    const young = tooYoung(inquiry, record);
    const verdict = young ? 'early' : 'removable';
    return { verdict, reasons: listOfOne(young), evidence: [], programs: [] };
  }
  const command = insistence(record, finalizer);
  const wanted = { finalizer, record, named, isListed };
  const { programs, evidence, isComplete } = gradedPrograms(inquiry, wanted);
  const unknown = { verdict: 'unknown', evidence, programs, command } as const;
  const find = `Find out which program removes ${finalizer}`;
  const hints = programs.filter((one) => one.evidence === 'hint');
  const running = hints.filter(({ stopped }) => stopped === undefined);
  const [stopped] = isListed ? [] : hints;
  if (running.length > 0) {
    const isForbidden = running.every(({ lacks }) => lacks !== undefined);
    const verdict = isForbidden ? 'forbidden' : 'unknown';
    const hint = isForbidden ? runsAndCannot(running) : `${guessOf(running)} may remove it`;
    return { ...unknown, verdict, hint: `${finalizer}: ${hint}`, reasons: [], next: `${find}.` };
  }
  if (stopped) {
    const hint = `${finalizer}: ${guessOf([stopped])} may remove it and does not run: ${stopped.stopped}`;
    return { ...unknown, hint, reasons: [], next: `${find}.` };
  }
  return ofFiles
    ? { ...unknown, reasons: [], next: `${find}, or ask the cluster.` }
    : withoutHint(inquiry, wanted, isComplete, unknown);
}

/** All of a cluster that could show its program was read, or not; nothing has its name. */
function withoutHint(
  inquiry: Inquiry,
  { record, finalizer, isListed }: Wanted,
  isComplete: boolean,
  unknown: Omit<Removal, 'reasons'>,
): Removal {
  const { programs, evidence } = unknown;
  if (!isComplete) {
    const reasons = ['whether another program that may remove it runs could not be read'];
    const next = 'Ask as a user who may list workloads, pods, Leases and RBAC.';
    return { ...unknown, reasons, next };
  }
  if (programs.some((one) => one.evidence === 'possibility')) {
    const reasons = isListed ? ['whether it runs under another name is unknown'] : [];
    return { ...unknown, reasons, next: `Find out which program removes ${finalizer}.` };
  }
  const none = isListed ? [] : ['no running program looks like it or may change the object'];
  const young = tooYoung(inquiry, record);
  if (young === undefined) return { verdict: 'removable', reasons: none, evidence, programs };
  return {
    ...unknown,
    verdict: isListed ? 'early' : 'unknown',
    reasons: [...none, young],
    next: 'Ask again later.',
  };
}

/** `Deployment shop/db-operator runs and cannot: no patch or update on configmaps by ClusterRole db`. */
export function runsAndCannot(programs: readonly GradedProgram[]): string {
  return firstOf(
    programs.map(({ program, evidence, because, lacks }) => {
      const guess = evidence === 'proof' ? '' : ` (guess: ${because})`;
      return `${program} runs and cannot: ${lacks}${guess}`;
    }),
  );
}

function guessOf(programs: readonly GradedProgram[]): string {
  return firstOf(programs.map(({ program, because }) => `${program} (guess: ${because})`));
}

/** The command by which a user insists that a finalizer goes, of the object that has it. */
export function insistence(object: Addressed, finalizer: string): SuggestedCommand {
  return removalCommand('Only if you are sure that it will never run again', object, finalizer);
}

/** The command that removes a finalizer, and what for. */
export function removalCommand(to: string, object: Addressed, finalizer: string): SuggestedCommand {
  return suggested(
    to,
    shellCommand`kubectl gc why ${addressOf(object)} --fix --remove-finalizer ${finalizer}`,
  );
}

/** What is lost when a finalizer is removed. */
export function lossOf(finalizer: string, type: ObjectRecord['type']): string {
  const known = knownFinalizer(finalizer, type);
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
  const warning = linksOf(chain).find(
    (link) => link.finalizer === finalizer && link.object.uid === record.uid,
  );
  const risks = [...(warning ? [warning.because] : []), lossOf(finalizer, type)];
  return { ...removeFinalizer(record, finalizer, risks.join('; ')), insisted: true };
}

function listOfOne(text: string | undefined): string[] {
  return text === undefined ? [] : [text];
}

/** What keeps a deletion from being old enough; undefined when it is. */
function tooYoung(inquiry: Inquiry, record: ObjectRecord): string | undefined {
  const { deletionTimestamp = '', deletionGracePeriodSeconds = 0 } = record;
  if (deletionTimestamp === '') return 'its deletion has not begun';
  const began = Date.parse(deletionTimestamp) - deletionGracePeriodSeconds * 1000;
  const age = serverTime(inquiry, record) - began;
  if (age >= removalAge) return undefined;
  const minutes = removalAge / 60_000;
  const since = Number.isNaN(age)
    ? 'when the deletion began is unknown'
    : `the deletion began only ${humanDuration(Math.max(0, Math.round(age / 1000)))} ago`;
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

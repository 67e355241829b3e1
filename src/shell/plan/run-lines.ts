import {
  addressOf,
  type CommandPlace,
  printedCommand,
  shellCommand,
} from '../../command-line/shell-command.ts';
import { type ExitCode, exitCodes } from '../../errors.ts';
import type { ObjectLocation, ObjectReference } from '../../kube/object-reference.ts';
import { printedKindOf } from '../../kube/resource-type.ts';
import { encodedName, printable } from '../../output/printable.ts';
import type { Ending, ProgressEvent } from '../../perform/progress-event.ts';
import type { RunSummary } from '../../perform/run-summary.ts';
import { progressLines } from '../../questions/delete/progress/progress-lines.ts';
import type { DeleteOptions } from '../flags/delete-options.ts';
import type { DryRun } from '../flags/flag-kinds.ts';

/** For stderr: what is left and why, what was not sent, and what went another way than planned. */
export function runSummaryLines(summary: RunSummary, place: CommandPlace): string[] {
  const { unsent, done, left, surprises } = summary;
  const at = done?.at ?? '';
  const notSent = unsent.map((request): ProgressEvent => {
    const isBegun = summary.begun.has(request.uid);
    const message = isBegun ? 'it may be changed, and the run ended' : 'the run ended before';
    return { at, type: 'skipped', request, reason: 'not-sent', message };
  });
  return [
    ...firstEventLines(notSent),
    ...firstEventLines(left),
    ...firstEventLines(surprises),
    ...(done ? firstEventLines([done]) : []),
    ...goesOn(summary, place),
  ];
}

/** The run ended, and the cluster goes on with what it was asked. */
function goesOn(summary: RunSummary, place: CommandPlace): string[] {
  const { plan, accepted, left, done } = summary;
  const why = (object: ObjectReference) =>
    `  ${printedCommand(shellCommand`kubectl gc why ${addressOf(object)}`, place)}`;
  const [first] = left;
  if (done?.ended === 'stalled' && first) {
    return [
      'What is left is deleted once the program that has to act runs again; nothing more has to be sent. To see why:',
      why(first.object),
    ];
  }
  if (done?.ended !== 'interrupted') return [];
  const sent = plan.requests.find(({ uid }) => accepted.has(uid) && !summary.isGone(uid));
  if (!sent) return [];
  return ['The cluster continues with what was sent. To see its state:', why(sent)];
}

const mostLines = 20;

/** The first events as lines for people, and how many more there are. */
export function firstEventLines(events: readonly ProgressEvent[]): string[] {
  const lines = events.slice(0, mostLines).flatMap((event) => progressLines(event));
  const more = events.length - mostLines;
  return more > 0 ? [...lines, `… and ${more} more`] : lines;
}

interface Ended {
  readonly ended: Ending | undefined;
  /** Requests that changed something. */
  readonly accepted: number;
  /** What was to be done and is not. */
  readonly left: number;
  /** Something that was named was refused or is not there. */
  readonly failed?: boolean;
}

/** 4 where something was begun and not all of it is done, 3 where nothing was. */
export function exitCodeOf({ ended, accepted, left, failed = false }: Ended): ExitCode {
  if (ended === 'interrupted') return exitCodes.interrupted;
  if (left === 0 && !failed) return exitCodes.ok;
  return accepted > 0 ? exitCodes.incomplete : exitCodes.failed;
}

/** kubectl's line for a request that was accepted: `pod "web" deleted from shop namespace`. */
export function deletedLine(
  { type, namespace, name }: ObjectLocation,
  { gracePeriodSeconds, dryRun }: Pick<DeleteOptions, 'gracePeriodSeconds' | 'dryRun'>,
  output: string | undefined,
): string {
  const kind = printedKindOf(type);
  if (output === 'name') return `${encodedName(`${kind}/${name}`)}\n`;
  const deleted = gracePeriodSeconds === 0 ? 'force deleted' : 'deleted';
  const from = type.namespaced ? ` from ${namespace} namespace` : '';
  return `${printable(`${kind} "${name}" ${deleted}${from}`)}${suffixes[dryRun]}\n`;
}

export const suffixes: Readonly<Record<DryRun, string>> = {
  none: '',
  client: ' (dry run)',
  server: ' (server dry run)',
};

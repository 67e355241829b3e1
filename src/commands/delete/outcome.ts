import type { PlannedRequest } from '../../deletion/plan/plan.ts';
import type { ExitCode } from '../../errors.ts';
import { isPathSegment } from '../../kube/names.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import { printedText } from '../../output/printable.ts';
import { type Failure, isNotFound, messageOf, whenDeleting } from '../../perform/failure.ts';
import type { Ending } from '../../perform/progress-event.ts';
import type { RunSummary } from '../../perform/run-summary.ts';
import { type DeleteFlags, wantsDocument } from '../../shell/flags/delete-options.ts';
import { type Asked, warnOfNamespace } from '../../shell/input/missing-namespace.ts';
import type { Deletion } from '../../shell/plan/planning.ts';
import { deletedLine, exitCodeOf, runSummaryLines } from '../../shell/plan/run-lines.ts';
import { isInteractive } from '../../shell/terminal/confirm.ts';
import { writeErr, writeOut } from '../../shell/terminal/streams.ts';
import type { DeletionTarget } from './targets/targets-of-files.ts';

/** What became of a command line: what failed, where it was met, and what is not gone. */
export class DeleteOutcome {
  readonly #ignoreNotFound: boolean;
  /** Failures of single objects, by the place of the object in kubectl's order. */
  readonly #ofObjects = new Map<number, Failure>();
  readonly #ofSources: Failure[] = [];
  /** Requests that the server accepted. */
  accepted = 0;
  /** Objects that were planned to go and are still there, or were not asked to. */
  left = 0;
  ended: Ending | undefined;
  /** For people: what is left and why, printed below the failures. */
  readonly details: string[] = [];
  /** kubectl's words, when the time was up. */
  timedOut: string | undefined;

  constructor(ignoreNotFound: boolean) {
    this.#ignoreNotFound = ignoreNotFound;
  }

  /** `at`: the object that it is about, if it is about one. */
  fail(failure: Failure, at?: Pick<DeletionTarget, 'position'>): void {
    if (this.#ignoreNotFound && isNotFound(failure)) return;
    if (at) this.#ofObjects.set(at.position, failure);
    else this.#ofSources.push(failure);
  }

  get failed(): boolean {
    return this.#ofObjects.size + this.#ofSources.length > 0;
  }

  hasFailed({ position }: Pick<DeletionTarget, 'position'>): boolean {
    return this.#ofObjects.has(position);
  }

  /**
   * kubectl's messages, of objects as they were met and then of what could not be read. Some have several lines: each
   * is cleaned by itself when it is written.
   */
  lines(): string[] {
    const objects = [...this.#ofObjects].sort(([a], [b]) => a - b).map(([, failure]) => failure);
    const [only, ...more] = [...objects, ...this.#ofSources];
    if (only === undefined) return this.timedOut === undefined ? [] : [`error: ${this.timedOut}`];
    const isPlain = more.length === 0 && !only.status;
    const messages = isPlain ? [`error: ${only.message}`] : [only, ...more].map(messageOf);
    return messages.flatMap((message) => message.split('\n'));
  }

  exitCode(): ExitCode {
    return exitCodeOf(this);
  }
}

/** Takes over what the API server refuses to delete; answers the others. */
export function recordRefused(
  gotten: readonly DeletionTarget[],
  refused: ReadonlyMap<string, Failure>,
  outcome: DeleteOutcome,
): readonly DeletionTarget[] {
  return gotten.filter((target) => {
    const failure = target.record && refused.get(target.record.uid);
    if (failure) outcome.fail(whenDeleting(target.source, failure), target);
    return !failure;
  });
}

/** Takes over what became of a run: failures in kubectl's words, what is left, and the account on stderr. */
export async function recordRun(
  summary: RunSummary,
  gotten: readonly DeletionTarget[],
  { flags, options, cluster }: Pick<Deletion, 'flags' | 'options' | 'cluster'>,
  outcome: DeleteOutcome,
): Promise<void> {
  outcome.accepted += summary.accepted.size + summary.begun.size;
  const named = new Map<string, DeletionTarget>();
  const twice: DeletionTarget[] = [];
  for (const target of gotten) {
    if (!target.record) continue;
    if (named.has(target.record.uid)) twice.push(target);
    else named.set(target.record.uid, target);
  }
  const fail = ({ uid }: PlannedRequest, failure: Failure) =>
    outcome.fail(whenDeleting(named.get(uid)?.source, failure), named.get(uid));
  const isGone = (target: DeletionTarget) => {
    const message = `${groupResourceOf(target.type)} "${target.name}" not found`;
    const gone = { message, status: { code: 404, reason: 'NotFound' } };
    outcome.fail(whenDeleting(target.source, gone), target);
  };
  // What has gone since it was looked up is in no plan.
  const requested = new Set(summary.plan.requests.map(({ uid }) => uid));
  for (const [uid, target] of named) if (!requested.has(uid)) isGone(target);
  for (const { request, code, reason, message } of summary.refused) {
    fail(request, { message, ...(code > 0 && { status: { code, reason } }) });
  }
  for (const { request, reason, message } of summary.skipped) {
    const target = named.get(request.uid);
    if (reason === 'not-sent') continue;
    if (reason !== 'gone') fail(request, { message, status: { code: 409, reason: 'Conflict' } });
    else if (target) isGone(target);
  }
  // kubectl asks twice for what is named twice.
  for (const target of twice) {
    const { uid = '' } = target.record ?? {};
    if (!summary.accepted.has(uid) || summary.isGone(uid)) isGone(target);
    else await writeOut(printedText(deletedLine(target, options, flags.output)));
  }
  // Whether what was begun is done is not known.
  outcome.left = summary.left.length + summary.unsent.length + summary.begun.size;
  outcome.ended = summary.done?.ended;
  outcome.timedOut = summary.done?.ended === 'timed-out' ? timedOutOn(summary, cluster) : undefined;
  if (summary.isEventful || isInteractive())
    outcome.details.push(...runSummaryLines(summary, cluster.place));
}

/** Prints kubectl's line, on stderr where a document was requested; also a warning for a missing namespace, which kubectl does not print. */
export async function sayNothingFound(
  flags: DeleteFlags,
  read: Pick<Asked, 'session' | 'snapshot'>,
): Promise<void> {
  const isDocument = ['json', 'yaml'].includes(flags.output ?? '') || wantsDocument(flags);
  if (isDocument) writeErr('No resources found');
  else await writeOut(printedText('No resources found\n'));
  await warnOfNamespace({ flags, ...read });
}

/** Warns of missing namespaces where all that was named in them failed: of the objects alone, kubectl says that they do not exist. */
export async function warnOfMissingHomes(
  targets: readonly DeletionTarget[],
  outcome: DeleteOutcome,
  asked: Pick<Asked, 'flags' | 'session'>,
): Promise<void> {
  // What no path can hold was asked for nowhere.
  const sent = targets.filter(
    ({ type, namespace, name }) =>
      type.namespaced && isPathSegment(namespace) && isPathSegment(name),
  );
  for (const [home, all] of Map.groupBy(sent, ({ namespace }) => namespace)) {
    if (!all.every((target) => outcome.hasFailed(target))) continue;
    await warnOfNamespace({ ...asked, defaultNamespace: home });
  }
}

/** kubectl names the first object that was still there when it stopped waiting. */
function timedOutOn(summary: RunSummary, { types }: Deletion['cluster']): string | undefined {
  const left = new Set(summary.left.map(({ object }) => object.uid));
  const request = summary.plan.requests.find(({ uid }) => left.has(uid)) ?? summary.left[0]?.object;
  const type = request && types.find(request.apiVersion, request.kind);
  return type && `timed out waiting for the condition on ${type.resource}/${request.name}`;
}

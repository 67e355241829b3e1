import {
  type CommandPlace,
  nowhere,
  printedCommand,
  suggestionText,
} from '../../command-line/shell-command.ts';
import { picked } from '../../kube/json-value.ts';
import { type ObjectReference, objectKey } from '../../kube/object-reference.ts';
import type { CoverageProblem } from '../../snapshot/coverage.ts';
import { type DocumentHead, documentHead } from '../../snapshot/snapshot.ts';
import type { Canary } from '../../why/ask/canary.ts';
import {
  blockersOf,
  type DiagnosisState,
  firstFix,
  type Link,
  linksOf,
  stateOf,
  unreadOf,
} from '../../why/chain.ts';
import type { FixRequest } from '../../why/fix-request.ts';
import {
  type CollectorHealth,
  collectorHealthOf,
} from '../../why/garbage-collector/collector-health.ts';
import type { HealthCheck } from '../../why/garbage-collector/health-check.ts';
import type { UnreadEvidence } from '../../why/inquiry.ts';

/** `why TYPE/NAME`: for each object the chain to its final blocker. */
export interface DiagnosisReport extends DocumentHead<'Diagnosis'> {
  readonly items: readonly Diagnosed[];
}

/** A link of which `next` ends with the command, which `run` has alone. */
export interface PrintedLink extends Omit<Link, 'command' | 'links'> {
  readonly run?: string;
  readonly links: readonly PrintedLink[];
}

/** A check of which `next` ends with the command, which `run` has alone. */
export interface PrintedCheck extends Omit<HealthCheck, 'command' | 'links'> {
  readonly run?: string;
  readonly links: readonly PrintedLink[];
}

export interface Diagnosed {
  readonly object: ObjectReference;
  readonly state: DiagnosisState;
  /** The ends of the chain: where an intervention is needed. */
  readonly blockers: readonly Pick<Link, 'object' | 'cause' | 'because' | 'next' | 'finalizer'>[];
  readonly chain: PrintedLink;
  /** The one step that `--fix` offers: the one that was insisted on, without that the smallest one. */
  readonly fix?: FixRequest;
}

/** A chain; where the user insists on a step, that one alone, or none where it is not possible. */
export interface Explained {
  readonly chain: Link;
  readonly insisted?: { readonly fix: FixRequest | undefined };
}

export function diagnosisReport(
  explained: readonly Explained[],
  problems: readonly CoverageProblem[],
  place: CommandPlace = nowhere,
): DiagnosisReport {
  const unread = unreadOf(explained.flatMap(({ chain }) => linksOf(chain)));
  return {
    ...documentHead('Diagnosis', 0, explained.length, [
      ...problems,
      ...unread.map(evidenceProblem),
    ]),
    items: explained.map(({ chain, insisted }) => diagnosedOf(chain, insisted, place)),
  };
}

/** The item of one object; its commands are for this place. */
export function diagnosedOf(
  found: Link,
  insisted?: Explained['insisted'],
  place: CommandPlace = nowhere,
): Diagnosed {
  const chain = printedLink(found, place);
  const state = stateOf(chain);
  const smallest = state === 'stuck' ? firstFix(chain)?.fix : undefined;
  const fix = insisted ? insisted.fix : smallest;
  return {
    object: chain.object,
    state,
    blockers: blockersOf(chain).map((one) =>
      picked(one, 'object', 'cause', 'because', 'next', 'finalizer'),
    ),
    chain,
    ...(fix && { fix }),
  };
}

/** `why --gc`: does the garbage collector itself work? */
export interface GarbageCollectorHealthReport
  extends DocumentHead<'CollectorHealth'>,
    CollectorHealth {
  readonly checks: readonly PrintedCheck[];
  readonly canary?: Canary;
}

export function garbageCollectorHealthReport(
  checks: readonly HealthCheck[],
  canary: Canary | undefined,
  place: CommandPlace = nowhere,
): GarbageCollectorHealthReport {
  return {
    ...documentHead('CollectorHealth', 0, 0, unreadOf(checks).map(evidenceProblem)),
    ...collectorHealthOf(checks, canary),
    checks: checks.map((check) => printedLink(check, place)),
    ...(canary && { canary }),
  };
}

/** A link or check, and those below it; the `next` of each ends with its command. */
function printedLink<L extends Link | HealthCheck>(
  { command, ...link }: L,
  place: CommandPlace,
): Omit<L, 'command'> & { readonly run?: string } {
  const { next } = link;
  return {
    ...link,
    next: command ? `${next} ${suggestionText(command, place)}`.trimStart() : next,
    ...(command && { run: printedCommand(command.command, place) }),
    links: link.links.map((below) => printedLink(below, place)),
  };
}

/** Kinds that a user may not list are one problem for people, whatever they were listed for. */
export function evidenceProblem(unread: UnreadEvidence): CoverageProblem {
  const { what, couldNotRead, reason } = unread;
  const message = `could not read ${what}: ${couldNotRead}`;
  const kind = reason === 'forbidden' ? picked(unread, 'resource', 'namespace') : {};
  return { reason, message, ...kind };
}

/** The line of a link of a chain. */
export function linkKey({ object, cause, finalizer = '' }: Link): string {
  return `${objectKey(object)} ${cause} ${finalizer}`;
}

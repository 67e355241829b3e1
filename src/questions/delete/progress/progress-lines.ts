import {
  addressOf,
  type CommandPlace,
  nowhere,
  printedCommand,
  shellCommand,
} from '../../../command-line/shell-command.ts';
import { counted, kindCounts } from '../../../kube/counts-by-kind.ts';
import type { ObjectReference } from '../../../kube/object-reference.ts';
import { printable, printedName } from '../../../output/printable.ts';
import type { ProgressEvent, Waiting } from '../../../perform/progress-event.ts';
import { knownFinalizer } from '../../../programs/known-finalizers.ts';
import type { Blocker } from '../../../snapshot/graph/blockers.ts';
import { jsonText } from '../../../syntax/json-text.ts';

type NamedReference = Omit<ObjectReference, 'uid'>;

/**
 * One event as lines for people; none for what kubectl's own lines say, and for the beginning. Where it waits, the
 * command that shows more follows on a separate line, and is for this place.
 */
export function progressLines(event: ProgressEvent, place: CommandPlace = nowhere): string[] {
  const lines =
    event.type === 'waiting'
      ? event.waits.flatMap((one) => waitingLines(one, place))
      : [eventLine(event) ?? []].flat();
  return lines.map(printable);
}

function eventLine(event: Exclude<ProgressEvent, { type: 'waiting' }>): string | undefined {
  switch (event.type) {
    case 'planned':
    case 'sent':
      return undefined;
    case 'left-alone':
      return `${placed(event.object)} is not changed: ${event.because}`;
    case 'skipped':
      return `${placed(event.request)} ${skipped[event.reason]}: ${event.message}`;
    case 'refused': {
      const answer = event.code === 0 ? '' : ` (HTTP ${event.code})`;
      return `${placed(event.request)} was refused: ${event.message}${answer}`;
    }
    case 'retrying':
      return `${placed(event.request)} is tried again: ${event.message}`;
    case 'observed':
      return `${placed(event.object)} ${observedInWords(event)}`;
    case 'watch':
      return event.state === 'lost'
        ? `lost sight of ${event.resource}: ${event.message}`
        : event.message;
    case 'left':
      return `${placed(event.object)} is left: ${event.because}${blockers(event.blockedBy)}`;
    case 'difference':
      return `${placed(event.object)} was planned to be ${event.predicted}, and is ${differenceReason(event)}`;
    case 'unplanned': {
      const owner = printedName(event.owner);
      return event.gone
        ? `${placed(event.object)} was created after the last look, and went with its owner ${owner}: it is in no backup`
        : `${placed(event.object)} was not in the plan; its owner is ${owner}`;
    }
    case 'done':
      return done(event);
  }
}

/** What was planned to change and has not is not kept by anything: its turn has not come. */
function differenceReason({
  predicted,
  observed,
}: Extract<ProgressEvent, { type: 'difference' }>): string {
  if (observed !== 'kept') return observed;
  return predicted === 'orphaned' ? 'not released yet' : 'not collected yet';
}

const skipped = {
  gone: 'was already deleted',
  replaced: 'was recreated; the new object is not deleted',
  changed: 'has changed since the plan was made; not deleted',
  terminating: 'is being deleted already',
  node: 'is not deleted',
  'not-sent': 'was not asked to be deleted',
} as const;

function observedInWords({
  observation,
  finalizers = [],
}: Extract<ProgressEvent, { type: 'observed' }>): string {
  const blockers = finalizers.length > 0 ? `, with ${finalizers.join(', ')}` : '';
  return observation === 'terminating' ? `is terminating${blockers}` : observations[observation];
}

const observations = {
  gone: 'deleted',
  orphaned: 'lives on without its owner',
  kept: 'is kept',
  recreated: 'deleted, and recreated under the same name',
  unknown: 'cannot be seen any more',
} as const;

/** `Waiting for the garbage collector to delete 3 Pods of ReplicaSet web-1: why`, and what shows more. */
function waitingLines(
  { actor, name = '', because, objects, owner }: Waiting,
  place: CommandPlace,
): string[] {
  const [only, ...others] = objects;
  const kinds = kindCounts(objects.map(({ kind }) => kind)).map(([kind, n]) => counted(n, kind));
  const what = only && others.length === 0 ? placed(only) : kinds.join(', ');
  const of = owner ? ` of ${printedName(owner)}` : '';
  const isOfManager = actor === 'garbage-collector' || !only;
  const next = isOfManager
    ? shellCommand`kubectl gc why --gc`
    : actor === 'namespace'
      ? shellCommand`kubectl gc why ${`namespace/${only.namespace || only.name}`}`
      : shellCommand`kubectl gc why ${addressOf(only)}`;
  return [
    `Waiting for ${acting[actor](name, only?.kind ?? '')} ${what}${of}: ${because}.`,
    `  ${printedCommand(next, place)}`,
  ];
}

const acting: Readonly<Record<Waiting['actor'], (name: string, kind: string) => string>> = {
  'garbage-collector': () => 'the garbage collector to delete',
  namespace: () => 'the namespace controller to delete',
  kubelet: (node) => `the kubelet of Node ${node} to end`,
  finalizer: (name, kind) => {
    const known = knownFinalizer(name, { kind });
    return known
      ? `the ${known.setBy.title} to remove the finalizer ${name} from`
      : `the program that removes the finalizer ${name} from`;
  },
};

/** What `because` does not name. */
function blockers(blockedBy: readonly Blocker[]): string {
  return blockedBy.length > 3 ? ` (${blockedBy.length} in all)` : '';
}

const endings = {
  gone: 'all planned objects are deleted',
  settled: 'nothing moves any more',
  'timed-out': 'the time was up',
  interrupted: 'interrupted',
  failed: 'not every request was accepted',
  'not-waited': 'the requests were accepted',
  stalled: 'nothing happens any more, and no program that would delete the rest was seen to run',
} as const;

function done(event: Extract<ProgressEvent, { type: 'done' }>): string {
  const counts = [
    `${event.sent} sent`,
    event.refused > 0 && `${event.refused} refused`,
    event.skipped > 0 && `${event.skipped} skipped`,
    event.ended !== 'not-waited' && `${event.gone} gone`,
    event.left > 0 && `${event.left} left`,
    event.differences > 0 && `${event.differences} not as planned`,
  ].filter((count) => count !== false);
  const isIdle = event.ended === 'gone' && event.sent === 0;
  return `${isIdle ? 'nothing was deleted' : endings[event.ended]}: ${counts.join(', ')}`;
}

function placed(object: NamedReference): string {
  return object.namespace === ''
    ? printedName(object)
    : `${printedName(object)} in ${object.namespace}`;
}

/** One event as a line of JSON, its time first. */
export function progressJson(event: ProgressEvent): string {
  const { at, type, ...rest } = event;
  return jsonText({ at, type, ...rest });
}

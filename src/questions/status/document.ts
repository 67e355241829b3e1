import { findFaultyObjects } from '../../audit/invalid-references.ts';
import {
  addressOf,
  type CommandPlace,
  printedCommand,
  type ShellCommand,
  shellCommand,
} from '../../command-line/shell-command.ts';
import { isEvicted } from '../../controllers/pod-gc/pass.ts';
import { picked } from '../../kube/json-value.ts';
import { compareText } from '../../kube/names.ts';
import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { type ObjectReference, referenceTo } from '../../kube/object-reference.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import { isPod, isPodTerminal, persistentVolumes } from '../../kube/well-known-kinds.ts';
import type { Graph } from '../../snapshot/graph/graph.ts';
import {
  type CountedObjects,
  countingHead,
  type DocumentHead,
  documentHead,
  type Snapshot,
} from '../../snapshot/snapshot.ts';
import { type CollectorHealth, isOverdue } from '../../why/garbage-collector/collector-health.ts';
import type { HealthCheck } from '../../why/garbage-collector/health-check.ts';
import {
  type Forecast,
  type ForecastItem,
  isForecastComplete,
  objectsIn,
} from '../forecast/document.ts';
import { isOpen } from '../forecast/when.ts';
import {
  type InvalidReference,
  type InvalidReferencesReport,
  unknownReferences,
} from '../invalid-ownerrefs/document.ts';
import type { GarbageCollectorHealthReport } from '../why/document.ts';
import {
  causesOf,
  type StuckDeletionsReport,
  type UnendedDeletion,
} from '../why/stuck-document.ts';

/** `status`: what is wrong or about to happen, in short; each part names the command that prints all of it. */
export interface StatusReport extends DocumentHead<'Status'> {
  /** RFC 3339: the clock. */
  readonly at: string;
  /** RFC 3339: what begins until then is due. */
  readonly until: string;
  /** What it is about; unset: all namespaces. */
  readonly namespace?: string;
  /** `ok`: all was read, and nothing is stuck or wrong. `unknown`: nothing wrong was found, and not all was read. */
  readonly verdict: 'ok' | 'wrong' | 'unknown';
  readonly deletions: {
    readonly stuck: number;
    readonly unknown: number;
    readonly progressing: number;
    /** Was all read that is counted here? */
    readonly complete: boolean;
    /** The worst first, at most ten. */
    readonly worst: readonly UnendedDeletion[];
    /** What keeps deletions from ending, at most ten: the worst deletion of each, and how many there are. */
    readonly causes: readonly { readonly count: number; readonly first: UnendedDeletion }[];
    readonly next: string;
  };
  readonly due: {
    readonly total: number;
    /** Objects of which it is not known whether they go. */
    readonly unknown: number;
    readonly complete: boolean;
    /** By the controller that acts, the earliest first. */
    readonly controllers: readonly DueByController[];
    readonly next: string;
  };
  readonly references: {
    readonly total: number;
    /** References that could not be judged: their owners were not read. */
    readonly unknown: number;
    readonly complete: boolean;
    /** The most frequent class first. */
    readonly classes: readonly WrongReferences[];
    readonly next: string;
  };
  readonly garbageCollector: CollectorHealth & { readonly next: string };
  /** Does the deletion guard answer? None where it is not installed, or not looked at. */
  readonly guard?: Pick<HealthCheck, 'state' | 'because'>;
  /** Ended Pods, kept volumes and objects whose controller does not run, an entry for each class of which there are any. */
  readonly remaining: readonly RemainingObjects[];
  /** The command that prints what was not read, or prints the role that permits it. */
  readonly next: string;
}

export interface DueByController {
  readonly controller: string;
  readonly count: number;
  readonly first: ForecastItem;
}

export interface WrongReferences {
  readonly class: string;
  readonly count: number;
  readonly first: ObjectReference;
}

export interface RemainingObjects {
  /** undeleted-volumes: released, and their reclaim policy Delete was not carried out. */
  readonly class:
    | 'evicted-pods'
    | 'finished-pods'
    | 'released-volumes'
    | 'undeleted-volumes'
    | 'controller-off';
  readonly count: number;
  /** Were all objects of the kind read? */
  readonly complete: boolean;
  readonly first: ObjectReference;
  readonly next: string;
}

/** The answers that a status sums up: those of `why -A`, `forecast`, `invalid-ownerrefs` and `why --gc`. */
export interface StatusAnswers {
  readonly deletions: StuckDeletionsReport;
  readonly forecast: Forecast;
  readonly references: CountedReferences;
  readonly remaining: readonly Omit<RemainingObjects, 'next'>[];
  /** Or why it was not checked. */
  readonly health: GarbageCollectorHealthReport | string;
  /** Why it does nothing, where its settings say that it is off. */
  readonly off?: string | undefined;
}

/** What is counted of `invalid-ownerrefs`. */
type CountedReferences = Pick<InvalidReferencesReport, 'coverage' | 'unknown'> & {
  readonly items: readonly Pick<InvalidReference, 'class' | 'object'>[];
};

const worstShown = 10;

interface StatusQuestion {
  /** As `forecast` takes it. */
  readonly within: string;
  /** What the commands are about; undefined: all. */
  readonly namespace: string | undefined;
  readonly place: CommandPlace;
}

export function statusReport(
  { deletions, forecast, references, remaining, health, off }: StatusAnswers,
  { within, namespace, place }: StatusQuestion,
): StatusReport {
  const where = namespace === undefined ? ['-A'] : ['-n', namespace];
  const narrow = namespace === undefined ? [] : where;
  const print = (command: ShellCommand) => printedCommand(command, place);
  const head = statusHead(
    [forecast, deletions, references, health].filter((answer) => typeof answer !== 'string'),
  );
  const report = {
    deletions: {
      ...countedDeletions(deletions),
      next: print(shellCommand`kubectl gc why ${where}`),
    },
    due: {
      ...dueIn(forecast, deletions),
      next: print(shellCommand`kubectl gc forecast --within ${within} ${narrow}`),
    },
    references: {
      ...wrongReferencesIn(references),
      next: print(shellCommand`kubectl gc invalid-ownerrefs ${where}`),
    },
    garbageCollector: {
      ...(off === undefined
        ? healthOf(health)
        : { health: 'does-not-work' as const, because: off }),
      next: health === notInFiles ? '' : print(shellCommand`kubectl gc why --gc`),
    },
    ...guardOf(health),
    remaining: remaining.map((found) => ({
      ...found,
      next: print(cleanUps[found.class](where, found.first)),
    })),
    next: head.coverage.problems.some(({ reason }) => reason === 'forbidden')
      ? print(shellCommand`kubectl gc rbac status`)
      : print(shellCommand`kubectl gc status ${narrow} -o yaml`),
  };
  return {
    ...head,
    at: forecast.at,
    until: forecast.until,
    ...(namespace !== undefined && { namespace }),
    verdict: verdictOf(report, head.coverage.complete),
    ...report,
  };
}

function countedDeletions({
  items,
  coverage,
}: StuckDeletionsReport): Omit<StatusReport['deletions'], 'next'> {
  const ofState = (state: UnendedDeletion['state']) =>
    items.filter((item) => item.state === state).length;
  return {
    stuck: ofState('stuck'),
    unknown: ofState('unknown'),
    progressing: ofState('progressing'),
    complete: coverage.complete,
    worst: items.slice(0, worstShown),
    causes: causesOf(items)
      .slice(0, worstShown)
      .map((cause) => ({ count: cause.items.length, first: cause.first })),
  };
}

function dueIn(
  forecast: Forecast,
  deletions: StuckDeletionsReport,
): Omit<StatusReport['due'], 'next'> {
  const all = dueOf(forecast, deletions);
  const due = all.filter((item) => !isOpen(item));
  const sure = new Set(due.map(({ object }) => object.uid));
  const open = all.filter((item) => isOpen(item) && !sure.has(item.object.uid));
  const byController = Map.groupBy(due, ({ collector }) => collector);
  return {
    total: objectsIn(due),
    unknown: objectsIn(open) + forecast.undetermined.length + forecast.unknown.length,
    complete: isForecastComplete(forecast),
    controllers: [...byController].map(([controller, items]) => ({
      controller,
      count: objectsIn(items),
      first: items[0] as ForecastItem,
    })),
  };
}

function wrongReferencesIn({
  items,
  unknown,
  coverage,
}: CountedReferences): Omit<StatusReport['references'], 'next'> {
  const byClass = [...Map.groupBy(items, (item) => item.class)];
  const classes = byClass.sort(([a, m], [b, n]) => n.length - m.length || compareText(a, b));
  return {
    total: items.length,
    unknown: unknown.length,
    complete: coverage.complete,
    classes: classes.map(([name, [first, ...more]]) => ({
      class: name,
      count: more.length + 1,
      first: first?.object as ObjectReference,
    })),
  };
}

/** The decisions that nothing refuses, about objects whose deletion is not stuck already: a stuck deletion is counted as one. */
function dueOf({ items }: Forecast, deletions: StuckDeletionsReport): readonly ForecastItem[] {
  const stuck = new Set(
    deletions.items.flatMap(({ state, object }) => (state === 'stuck' ? object.uid : [])),
  );
  return items.filter(({ object, refused }) => !refused && !stuck.has(object.uid));
}

type CleanUp = (where: readonly string[], first: ObjectReference) => ShellCommand;

const explained: CleanUp = (_, first) => shellCommand`kubectl gc why ${addressOf(first)}`;

/** What shows what is left of a class, or would delete it. */
const cleanUps: Readonly<Record<RemainingObjects['class'], CleanUp>> = {
  'evicted-pods': (where) => shellCommand`kubectl gc delete pods --evicted ${where} --preview`,
  'finished-pods': (where) => shellCommand`kubectl gc delete pods --finished ${where} --preview`,
  'released-volumes': explained,
  'undeleted-volumes': explained,
  'controller-off': explained,
};

/** What `invalid-ownerrefs` finds, without consequences and patches. */
export function countedReferences(
  graph: Graph,
  scope: (record: ObjectRecord) => boolean,
  counted: CountedObjects,
): CountedReferences {
  const found = findFaultyObjects(graph, scope);
  return {
    ...picked(countingHead('Status', graph.snapshot, counted), 'coverage'),
    items: found.map(({ rule, object }) => ({ class: rule, object: referenceTo(object) })),
    unknown: unknownReferences(graph, scope),
  };
}

/** `forecast`: of the same snapshot; it knows which volumes no controller deletes. */
export function remainingObjects(
  snapshot: Snapshot,
  { leftovers }: Forecast,
  namespace: string | undefined,
): StatusAnswers['remaining'] {
  const stays = (record: ObjectRecord) =>
    (namespace === undefined || record.namespace === namespace) && !isBeingDeleted(record);
  const ended = snapshot.records.filter((one) => isPod(one) && isPodTerminal(one) && stays(one));
  const { evicted = [], finished = [] } = Object.groupBy(ended, (pod) =>
    isEvicted(pod) ? 'evicted' : 'finished',
  );
  const { off = [], kept = [] } = Object.groupBy(leftovers, (one) => (one.off ? 'off' : 'kept'));
  const volumes = kept.filter(({ collector }) => collector === 'persistentvolume-reclaim');
  const keptUids = new Set(volumes.map(({ object }) => object.uid));
  const undeleted = snapshot.records.filter(
    (one) => isLeftVolume(one) && stays(one) && !keptUids.has(one.uid),
  );
  const found: [RemainingObjects['class'], string | undefined, readonly ObjectReference[]][] = [
    ['evicted-pods', 'pods', evicted.map(referenceTo)],
    // Those that its command deletes.
    ['finished-pods', 'pods', (finished[0] ? [...finished, ...evicted] : []).map(referenceTo)],
    ['released-volumes', persistentVolumes, volumes.map(({ object }) => object)],
    ['undeleted-volumes', persistentVolumes, undeleted.map(referenceTo)],
    ['controller-off', undefined, off.map(({ object }) => object)],
  ];
  return found.flatMap(([id, resource, objects]) => {
    const [first] = objects;
    if (!first) return [];
    const counted = { ...(resource && { kinds: new Set([resource]) }), namespace };
    const { problems } = countingHead('Status', snapshot, counted).coverage;
    // Another kind that could not be read, or an API that does not answer, contains none of these.
    const complete = !problems.some(
      (one) => resource === undefined || (one.resource ?? one.apiVersion ?? resource) === resource,
    );
    return [{ class: id, count: objects.length, complete, first }];
  });
}

/** A volume without a claim that should have been deleted with it. */
function isLeftVolume({ type, facts }: ObjectRecord): boolean {
  const { phase, persistentVolumeReclaimPolicy } = facts ?? {};
  return (
    groupResourceOf(type) === persistentVolumes &&
    persistentVolumeReclaimPolicy === 'Delete' &&
    (phase === 'Released' || phase === 'Failed')
  );
}

/** What any of the answers could not read, once. */
function statusHead(answers: readonly Pick<StatusReport, 'coverage'>[]) {
  const all = answers.flatMap(({ coverage }) => coverage.problems);
  const problems = [...new Map(all.map((one) => [JSON.stringify(one), one])).values()];
  const [{ kinds, objects }] = answers.map(({ coverage }) => coverage) as [
    StatusReport['coverage'],
  ];
  return documentHead('Status', kinds, objects, problems);
}

/** Why plain files say nothing about the garbage collector. */
export const notInFiles = 'files do not show it; ask the cluster itself';

function healthOf(health: StatusAnswers['health']): CollectorHealth {
  return typeof health === 'string'
    ? { health: 'unknown', because: health }
    : picked(health, 'health', 'because', 'except', 'overdue');
}

function guardOf(health: StatusAnswers['health']): Pick<StatusReport, 'guard'> {
  const checks = typeof health === 'string' ? [] : health.checks;
  const check = checks.find(({ id }) => id === 'guard');
  return check ? { guard: picked(check, 'state', 'because') } : {};
}

function verdictOf(
  report: Pick<StatusReport, 'deletions' | 'references' | 'garbageCollector'>,
  complete: boolean,
): StatusReport['verdict'] {
  const { deletions, references, garbageCollector } = report;
  const isFailing = ['does-not-work', 'works-except'].includes(garbageCollector.health);
  if (deletions.stuck > 0 || references.total > 0 || isFailing) return 'wrong';
  const isUnknown = deletions.unknown + references.unknown > 0 || isOverdue(garbageCollector);
  return complete && !isUnknown ? 'ok' : 'unknown';
}

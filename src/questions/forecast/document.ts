import { type ClusterView, viewOf } from '../../controllers/cluster-view.ts';
import {
  type Controller,
  type ControllerId,
  type Decided,
  type Decision,
  kubeletControllers,
} from '../../controllers/controller.ts';
import { decideAll } from '../../controllers/decision.ts';
import { cronJobHistory, nextOutOfHistory } from '../../controllers/jobs/cronjob-history.ts';
import { jobController } from '../../controllers/jobs/job-controller.ts';
import { allControllers } from '../../controllers/registry.ts';
import { statefulSetPvcRetention } from '../../controllers/workloads/statefulset-pvc-retention.ts';
import { refusalsNow } from '../../deletion/plan/proven-refusals.ts';
import { hasOwnFacts } from '../../kube/facts/object-facts.ts';
import { picked } from '../../kube/json-value.ts';
import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { kindAndName, type ObjectReference, referenceTo } from '../../kube/object-reference.ts';
import { unusedInWords } from '../../kube/pod-use.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import { timestampOf } from '../../kube/time.ts';
import { isNamespace } from '../../kube/well-known-kinds.ts';
import { mayJudge } from '../../programs/admission-rule.ts';
import { failuresOf } from '../../programs/reports.ts';
import { timeToLive } from '../../programs/time-to-live.ts';
import {
  type ControllerSettings,
  defaultControllerSettings,
} from '../../settings/controller-settings.ts';
import {
  enabledControllers,
  isLeftOff,
  isOffByDefault,
} from '../../settings/enabled-controllers.ts';
import { simulatedControllers } from '../../simulator/controllers/start-controllers.ts';
import { type TimeRange, wholeSeconds } from '../../simulator/engine/timeline.ts';
import type { Undetermined } from '../../simulator/engine/undetermined.ts';
import {
  actingBeside,
  type ForecastAction,
  type ForecastDeleteOptions,
  simulatedDeletions,
} from '../../simulator/forecast/forecast-actions.ts';
import { simulate } from '../../simulator/simulate.ts';
import { countingHead, type DocumentHead, type Snapshot } from '../../snapshot/snapshot.ts';
import type { CollectorHealth } from '../../why/garbage-collector/collector-health.ts';

/** `forecast`: what every controller will do, in the order of time, and what follows from it. */
export interface ForecastReport extends DocumentHead<'Forecast'> {
  /** RFC 3339: the clock. */
  readonly at: string;
  /** RFC 3339: nothing that begins later is listed. */
  readonly until: string;
  readonly collectors: readonly ForecastController[];
  /** In the order of time. */
  readonly items: readonly ForecastItem[];
  /** Objects whose end depends on an uncontrolled order of events. */
  readonly undetermined: readonly Undetermined[];
  /** Objects that cannot be judged, because something about their owners could not be read. */
  readonly unknown: readonly Undetermined[];
  /** Objects that no controller deletes: what they belong to was deleted, or their controller does not run. */
  readonly leftovers: readonly ForecastLeftover[];
  /** What the garbage collector was seen to do with what it should delete or change; left out where that was not observed. */
  readonly garbageCollector?: CollectorHealth;
}

export interface ForecastItem extends Decided, TimeRange {
  /** The garbage collector should have done it by now. */
  readonly overdue?: true;
  readonly collector: string;
  readonly object: ObjectReference;
  /** Where a kubelet removes it. */
  readonly node?: string;
  /** Of an image, as the runtime counts. */
  readonly sizeBytes?: number;
  /** What went before and led to it. */
  readonly follows?: ObjectReference;
  /** When the object is removed; unset if it stays, or if the time is unknown. */
  readonly gone?: TimeRange;
  /** What keeps the object from going, as far as it is known. */
  readonly held?: string;
  /** A webhook without a server refuses it, so that nothing changes: `held` says which. */
  readonly refused?: true;
  /** Its deletion has begun. */
  readonly terminating?: true;
  readonly options?: ForecastDeleteOptions;
  readonly finalizers: readonly string[];
}

export interface ForecastController {
  readonly id: string;
  readonly enabled: boolean;
  /** `--controllers` leaves it off, and it is not off by default. */
  readonly leftOff?: true;
  /**
   * Is what it does, and what follows from that, in the forecast? Controllers that delete nothing
   * are not simulated.
   */
  readonly simulated: boolean;
  readonly items: number;
  /** Kinds that it decides by and that were not read, or not in full. */
  readonly unread: readonly string[];
  /** Kinds of which only metadata was read, so that its deletions are unknown. */
  readonly withoutFacts: readonly string[];
}

export interface ForecastLeftover extends Undetermined {
  readonly collector: ControllerId;
  readonly rule: string;
  /** Its controller would delete it, and does not run. */
  readonly off?: true;
}

export interface ForecastOptions {
  readonly now: number;
  /** Milliseconds from now. */
  readonly within: number;
  readonly settings: ControllerSettings;
  /** What is shown; it does not change what is simulated. */
  readonly shows?: (collector: string) => boolean;
  readonly scope?: (record: ObjectRecord) => boolean;
  /** The namespace that is asked about. */
  readonly namespace?: string | undefined;
}

/** Everything that decides on deletions but the garbage collector: controllers, and programs that are no part of Kubernetes. */
const allDeciders: readonly Controller[] = [...allControllers, timeToLive];

/** Ids that a forecast can be narrowed to. */
export const forecastControllers: readonly string[] = [
  ...Object.values(actingBeside),
  ...allDeciders.map(({ id }) => id),
  ...kubeletControllers,
];

const simulatedIds: ReadonlySet<string> = new Set(simulatedControllers.map(({ id }) => id));

/** What acts in a forecast: the controllers and what acts beside them. */
interface ForecastSource {
  readonly id: string;
  /** The controllers of `--controllers` that run it; none: it always runs. */
  readonly runBy: readonly string[];
  readonly reads: readonly string[];
  readonly simulated: boolean;
}

const forecastSources: readonly ForecastSource[] = [
  ...Object.entries(actingBeside).map(([actor, id]) => {
    const runBy = actor.endsWith('-controller') ? [actor] : [];
    return { id, runBy, reads: [], simulated: true };
  }),
  ...allDeciders.map(({ id, controllers: runBy, reads }) => {
    return { id, runBy, reads, simulated: simulatedIds.has(id) };
  }),
];

/** What will happen, and which controllers could not decide; not yet what each of them has to do with it. */
export interface Forecast<C = Pick<ForecastController, 'withoutFacts'>>
  extends Omit<ForecastReport, 'collectors'> {
  readonly collectors: readonly C[];
}

export function forecastReport(snapshot: Snapshot, options: ForecastOptions): ForecastReport {
  const { controllers } = options.settings;
  const isEnabled = enabledControllers(controllers);
  const forecast = forecastOf(snapshot, options);
  const counts = Map.groupBy(forecast.items, ({ collector }) => collector);
  const isUnread = kindsNotRead(snapshot, options.namespace);
  return {
    ...forecast,
    collectors: forecast.collectors.map(({ id, runBy, reads, simulated, withoutFacts }) => ({
      id,
      enabled: runBy.length === 0 || runBy.some(isEnabled),
      ...(isLeftOff(runBy, controllers) && { leftOff: true as const }),
      simulated,
      items: counts.get(id)?.length ?? 0,
      unread: reads.filter(isUnread),
      withoutFacts,
    })),
  };
}

export function forecastOf(
  snapshot: Snapshot,
  options: ForecastOptions,
): Forecast<ForecastSource & Pick<ForecastController, 'withoutFacts'>> {
  const { now, within, settings, shows = () => true, scope = () => true } = options;
  const until = now + within;
  const simulation = simulate(snapshot, [], settings, { now, duration: within, forecast: true });
  const simulated = simulatedDeletions(snapshot, simulation, now, until);
  markRefused(snapshot, simulated);
  const view = viewOf(snapshot);
  const { off, open: mayRun } = deletionsOff(view, settings, now);
  const others = [...unsimulated(view, settings, now, simulated), ...mayRun.map(actionOf)];
  const shown = inOrderOfTime([...simulated, ...others]).filter(
    ({ collector, object, from }) => from <= until && shows(collector) && scope(object),
  );
  const bare = withoutFacts(snapshot);
  const listed = new Set([...simulated, ...others].map(({ object }) => object.uid));
  const isUnlisted = ({ object }: Undetermined) => !listed.has(object.uid);
  const inScope = entriesInScope(snapshot, scope);
  return {
    ...countingHead('Forecast', snapshot, {}, simulation.problems),
    at: timestampOf(now),
    until: timestampOf(until),
    collectors: forecastSources
      .filter(({ id }) => shows(id))
      .map((one) => ({ ...one, withoutFacts: one.reads.filter((kind) => bare.has(kind)) })),
    items: shown.map(forecastItemOf),
    undetermined: [
      ...inScope(simulation.undetermined.filter(isUnlisted)),
      ...outOfHistory(view, options).filter(isUnlisted),
    ],
    unknown: inScope(simulation.unknown),
    leftovers: [
      ...allDeciders.flatMap((collector) => collector.leftovers?.(view, now) ?? []),
      ...off
        .filter(({ notBefore }) => notBefore <= until)
        .map((one) => ({
          ...picked(one, 'collector', 'object', 'because', 'rule'),
          off: true as const,
        })),
    ]
      .filter(({ collector, object }) => shows(collector) && scope(object))
      .map(({ object, ...rest }) => ({ ...rest, object: referenceTo(object) })),
  };
}

/** Entries name objects; whether one is in scope, its record shows. */
function entriesInScope({ records }: Snapshot, scope: (record: ObjectRecord) => boolean) {
  return (entries: readonly Undetermined[]): readonly Undetermined[] => {
    const uids = new Set(entries.map(({ object }) => object.uid));
    const found = records.filter((record) => uids.has(record.uid) && scope(record));
    const scoped = new Set(found.map(({ uid }) => uid));
    return entries.filter(({ object }) => scoped.has(object.uid));
  };
}

/** API servers ask no webhook about what they delete themselves, and let kubelets confirm by their own account. */
const unjudged: ReadonlySet<string> = new Set(['customresourcedefinition', 'kubelet']);

/**
 * Marks what a webhook without a server refuses to controllers, what the namespace controller failed to delete, and what would
 * follow from that.
 */
function markRefused(snapshot: Snapshot, actions: readonly ForecastAction[]): void {
  const open = new Set<string>();
  const openNamespaces = new Set<string>();
  let failing: ReadonlyMap<string, string> | undefined;
  const judged = judgedInFiles(snapshot);
  for (const one of actions) {
    const { action, object, collector, follows } = one;
    const operation = action === 'delete' ? 'delete' : 'update';
    const refusal = unjudged.has(collector)
      ? undefined
      : refusalsNow(snapshot, operation).get(object.uid)?.because;
    if (refusal) one.refused = true;
    if (refusal && action === 'delete') one.held ??= refusal;
    if (collector === 'namespace') failing ??= failingNamespaces(snapshot);
    const failure =
      (collector === 'namespace' ? failing?.get(object.namespace) : undefined) ??
      (unjudged.has(collector) ? undefined : judged(object, operation));
    const isWaiting =
      (follows && open.has(follows.uid)) ||
      // What a controller does to an object after its deletion.
      (action === 'patch' && !isBeingDeleted(object) && open.has(object.uid)) ||
      (isNamespace(object) && openNamespaces.has(object.name));
    if (!refusal && !failure && !isWaiting) continue;
    open.add(object.uid);
    openNamespaces.add(object.namespace);
    doubt(one, refusal, failure ?? 'what it follows may not happen');
  }
}

/** A deletion that is refused is sure not to happen. */
function doubt(one: ForecastAction, refusal: string | undefined, reason: string): void {
  one.gone = undefined;
  if (one.action === 'delete' && refusal) return;
  one.confidence = 'unknown';
  one.because += `; but ${refusal ?? reason}`;
}

/** Answers which policy may refuse what a controller does: files do not show whether it does. */
function judgedInFiles({ origin, records }: Snapshot) {
  const policies =
    origin.kind === 'files' ? records.filter(({ facts }) => facts?.policyRules !== undefined) : [];
  return (object: ObjectRecord, operation: 'delete' | 'update'): string | undefined => {
    const policy = policies.find((one) => mayJudge(one, operation, object));
    return policy && `${kindAndName(policy)} judges that, and may refuse it`;
  };
}

/** What the namespace controller reported last of the deletion of their content, where that failed. */
function failingNamespaces({ records }: Snapshot): ReadonlyMap<string, string> {
  return new Map(
    records
      .filter((record) => isNamespace(record) && isBeingDeleted(record))
      .flatMap((record) =>
        failuresOf(record)
          .filter(({ what }) => what === 'NamespaceDeletionContentFailure')
          .map(({ message }) => [record.name, `the last attempt failed: ${message}`] as const),
      ),
  );
}

/** What CronJobs delete after their next runs. */
function outOfHistory(
  view: ClusterView,
  { settings, shows = () => true, scope = () => true }: ForecastOptions,
): Undetermined[] {
  const isEnabled = enabledControllers(settings.controllers);
  if (!shows(cronJobHistory.id) || !cronJobHistory.controllers.some(isEnabled)) return [];
  return nextOutOfHistory(view)
    .filter(({ object }) => scope(object))
    .map(({ object, because }) => ({ object: referenceTo(object), because }));
}

/** uids of what the garbage collector does now, and not after something else. */
export function dueForCollector({
  items,
  at,
}: Pick<ForecastReport, 'items' | 'at'>): ReadonlySet<string> {
  return new Set(
    items.flatMap(({ collector, follows, notBefore, object }) =>
      collector === 'garbage-collector' && !follows && notBefore <= at ? [object.uid] : [],
    ),
  );
}

/** Was all read that decides what is deleted? */
export function isForecastComplete({ coverage, collectors }: Forecast): boolean {
  return coverage.complete && collectors.every(({ withoutFacts }) => withoutFacts.length === 0);
}

/** How many objects these are about: a controller may do several things to one. */
export function objectsIn(items: readonly ForecastItem[]): number {
  return new Set(items.map(({ object }) => object.uid)).size;
}

function forecastItemOf(one: ForecastAction): ForecastItem {
  const { collector, action, object, from, to, confidence, follows, gone, because, rule } = one;
  return {
    collector,
    action,
    object: referenceTo(object),
    ...wholeSeconds({ from, to }),
    confidence,
    ...(follows && { follows: referenceTo(follows) }),
    ...(gone && { gone: wholeSeconds(gone) }),
    ...picked(one, 'held', 'refused', 'options', 'patch'),
    ...(isBeingDeleted(object) && { terminating: true as const }),
    finalizers: object.finalizers,
    because: `${because}${unusedInWords(object)}`,
    rule,
  };
}

/** What controllers decide and no simulation does: nothing follows from it. */
function unsimulated(
  view: ClusterView,
  settings: ControllerSettings,
  now: number,
  simulated: readonly ForecastAction[],
): ForecastAction[] {
  const isEnabled = enabledControllers(settings.controllers);
  const deleted = new Set(
    simulated.flatMap(({ action, object }) => (action === 'delete' ? object.uid : [])),
  );
  const late = [statefulSetPvcRetention, jobController]
    .filter(({ controllers }) => controllers.some(isEnabled))
    .flatMap((controller) => controller.delayed(view, settings, now))
    .filter(({ object }) => !deleted.has(object.uid));
  return allDeciders
    .filter(({ id }) => !simulatedIds.has(id))
    .flatMap((controller) => decideAll(controller, view, settings, now))
    .concat(late.map((decision) => ({ ...decision, confidence: 'unknown' })))
    .map(actionOf);
}

function actionOf(decision: Decision): ForecastAction {
  return {
    ...decision,
    options: decision.options,
    patch: decision.patch,
    from: decision.notBefore,
    to: decision.notAfter,
    ...{ follows: undefined, due: undefined, gone: undefined, held: undefined },
  };
}

/** Those whose latest moment is known come first. */
function inOrderOfTime(actions: readonly ForecastAction[]): ForecastAction[] {
  return actions.toSorted(
    (a, b) =>
      a.from - b.from || (a.to ?? Number.MAX_SAFE_INTEGER) - (b.to ?? Number.MAX_SAFE_INTEGER),
  );
}

/** Of these, whole objects may have none: since v1.24 no Secret is made for a ServiceAccount. */
const mayHaveNone: ReadonlySet<string> = new Set(['serviceaccounts']);

/** Kinds that have facts, and of which none of the objects that were read has any. */
function withoutFacts({ records, coverage }: Snapshot): ReadonlySet<string> {
  const types = new Set(records.map(({ type }) => type));
  const withSome = new Set(records.flatMap(({ type, facts }) => (facts ? type : [])));
  const bare = [...types].filter((type) => !withSome.has(type) && hasOwnFacts(type));
  const isMetadataOnly = bare.length === types.size;
  const isProblem = (resource: string) =>
    coverage.problems.some((problem) => problem.resource === resource);
  return new Set(
    bare
      .map(groupResourceOf)
      .filter((kind) => isMetadataOnly || isProblem(kind) || !mayHaveNone.has(kind)),
  );
}

/** Answers which kinds are served, and of which nothing was read, or not everywhere; of a namespace, not there. */
function kindsNotRead(
  { types, coverage, records }: Snapshot,
  namespace: string | undefined,
): (resource: string) => boolean {
  const read = new Set<string>();
  for (const { resource, namespaces } of coverage.read) {
    // Pod GC counts the Pods of all namespaces.
    const isThere = namespace !== undefined && resource !== 'pods';
    if (!namespaces || (isThere && namespaces.includes(namespace))) read.add(resource);
  }
  for (const type of new Set(records.map((record) => record.type))) read.add(groupResourceOf(type));
  return (resource) => types.versions(resource).length > 0 && !read.has(resource);
}

/** Deletions that a controller would make that does not run, each with why it does not. */
interface DeletionsOff {
  /** `--controllers` was read, and leaves their controller off. */
  readonly off: readonly Decision[];
  /** It was not read, and their controller is off by default. */
  readonly open: readonly Decision[];
}

function deletionsOff(view: ClusterView, settings: ControllerSettings, now: number): DeletionsOff {
  const isEnabled = enabledControllers(settings.controllers);
  const deletions = allControllers
    .filter(({ controllers }) => controllers.length > 0 && !controllers.some(isEnabled))
    .flatMap((controller) => {
      const [name = ''] = controller.controllers;
      const why = whyOff(name, settings);
      return decideAll(controller, view, settings, now)
        .filter(({ action }) => action === 'delete')
        .map((one): Decision => ({ ...one, because: `${why}: ${one.because}` }));
    });
  if (!isAssumed(settings)) return { off: deletions, open: [] };
  return { off: [], open: deletions.map((one) => ({ ...one, confidence: 'unknown' })) };
}

function isAssumed({ controllers }: ControllerSettings): boolean {
  return controllers === defaultControllerSettings.controllers;
}

/** Why a controller does nothing, in words that its reason for a deletion follows. */
function whyOff(name: string, settings: ControllerSettings): string {
  if (isAssumed(settings)) return `could not read whether ${name} runs (off by default)`;
  const isByDefault = isOffByDefault(name) && !settings.controllers.includes(`-${name}`);
  return isByDefault ? `${name} is off by default` : `--controllers leaves ${name} off`;
}

import { viewOf } from '../collectors/cluster-view.ts';
import type {
  Collector,
  Confidence,
  DeleteOptions,
  PatchRequest,
} from '../collectors/collector.ts';
import type { CollectorMemory } from '../collectors/collector-memory.ts';
import type { ObjectRecord } from '../kube/object-record.ts';
import { groupResourceOf } from '../kube/resource-type.ts';
import { timeOf } from '../kube/timestamp.ts';
import type { CollectorSettings } from '../settings/collector-settings.ts';
import { enabledControllers } from '../settings/controllers.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { type DocumentHead, headOf, type ObjectReference, refOf } from './document.ts';
import { type ForecastDecision, ownerDecisions } from './owner-decisions.ts';

/** `forecast`: what every collector does with the objects as they are, in the order of time. */
export interface ForecastReport extends DocumentHead<'Forecast'> {
  /** RFC 3339: the clock. */
  readonly at: string;
  /** RFC 3339: nothing that begins later is listed. */
  readonly until?: string;
  /** Each object is looked at once, as it is now: what follows from a deletion is not in it. */
  readonly looks: 'once';
  readonly collectors: readonly ForecastCollector[];
  readonly items: readonly ForecastItem[];
  /** Objects that no collector ever takes, although what they stood for is gone. */
  readonly leftovers: readonly ForecastLeftover[];
}

export interface ForecastCollector {
  readonly id: string;
  readonly enabled: boolean;
  readonly items: number;
  /** Kinds that it decides by and that were not read, or not in full. */
  readonly unread: readonly string[];
}

export interface ForecastItem {
  readonly collector: string;
  readonly action: 'delete' | 'patch';
  readonly object: ObjectReference;
  /** RFC 3339. */
  readonly notBefore: string;
  /** RFC 3339; unset when nobody knows how long it takes. */
  readonly notAfter?: string;
  readonly confidence: Confidence;
  readonly options?: DeleteOptions;
  readonly patch?: PatchRequest;
  readonly finalizers: readonly string[];
  readonly because: string;
  readonly rule: string;
}

export interface ForecastLeftover {
  readonly collector: string;
  readonly object: ObjectReference;
  readonly because: string;
  readonly rule: string;
}

export interface ForecastOptions {
  readonly now: number;
  readonly settings: CollectorSettings;
  readonly collectors: readonly Collector[];
  /** Is the garbage collector asked as well? */
  readonly owners: boolean;
  readonly memory?: CollectorMemory;
  readonly scope?: (record: ObjectRecord) => boolean;
  /** Milliseconds from now. */
  readonly within?: number;
}

export function forecastReport(snapshot: Snapshot, options: ForecastOptions): ForecastReport {
  const { now, settings, memory, within, scope = () => true } = options;
  const isEnabled = enabledControllers(settings.controllers);
  const view = viewOf(snapshot);
  const until = within === undefined ? undefined : now + within;
  const isShown = ({ object, notBefore }: ForecastDecision) =>
    scope(object) && (until === undefined || notBefore <= until);
  const found: ForecastDecision[] = [];
  const seen: ForecastCollector[] = [];
  const add = (
    id: string,
    reads: readonly string[],
    enabled: boolean,
    all: readonly ForecastDecision[],
  ) => {
    const shown = enabled ? all.filter(isShown) : [];
    found.push(...shown);
    seen.push({ id, enabled, items: shown.length, unread: unreadOf(snapshot, reads) });
  };
  if (options.owners) {
    const enabled = isEnabled('garbage-collector-controller');
    add('garbage-collector', [], enabled, enabled ? ownerDecisions(snapshot, now) : []);
  }
  for (const collector of options.collectors) {
    const enabled = collector.controllers.length === 0 || collector.controllers.some(isEnabled);
    add(collector.id, collector.reads, enabled, collector.decide(view, settings, now, memory));
  }
  const leftovers = options.collectors
    .flatMap((collector) => collector.leftovers?.(view, now) ?? [])
    .filter(({ object }) => scope(object));
  return {
    ...headOf('Forecast', snapshot),
    at: timeOf(now),
    ...(until !== undefined && { until: timeOf(until) }),
    looks: 'once',
    collectors: seen,
    items: found.sort(byTime).map(itemOf),
    leftovers: leftovers.map(({ object, ...rest }) => ({ ...rest, object: refOf(object) })),
  };
}

/** Those whose latest moment is known come before the others; a collector's own order stays. */
function byTime(a: ForecastDecision, b: ForecastDecision): number {
  return (
    a.notBefore - b.notBefore ||
    (a.notAfter ?? Number.MAX_SAFE_INTEGER) - (b.notAfter ?? Number.MAX_SAFE_INTEGER)
  );
}

function itemOf(decision: ForecastDecision): ForecastItem {
  const { collector, action, object, notBefore, notAfter, options, patch } = decision;
  return {
    collector,
    action,
    object: refOf(object),
    notBefore: timeOf(notBefore),
    ...(notAfter !== undefined && { notAfter: timeOf(Math.ceil(notAfter / 1000) * 1000) }),
    confidence: decision.confidence,
    ...(options && { options }),
    ...(patch && { patch }),
    finalizers: object.finalizers,
    because: decision.because,
    rule: decision.rule,
  };
}

/** Kinds that are served, and of which nothing was read, or not everywhere. */
function unreadOf({ types, coverage, records }: Snapshot, reads: readonly string[]): string[] {
  const read = new Set(
    coverage.read
      .filter(({ namespaces }) => namespaces === undefined)
      .map(({ resource }) => resource),
  );
  return reads.filter((resource) => {
    if (types.versions(resource).length === 0) return false;
    return !read.has(resource) && !records.some(({ type }) => groupResourceOf(type) === resource);
  });
}

import type { Decision, PassController } from '../controllers/controller.ts';
import { deletion, timeIn } from '../controllers/decision.ts';
import { isBeingDeleted, type ObjectRecord } from '../kube/object-record.ts';
import { groupResourceOf } from '../kube/resource-type.ts';
import { day } from '../kube/time.ts';
import { parseGoDuration } from '../syntax/go-syntax.ts';
import { scheduledDeletions, scheduledPolicies } from './scheduled-deletions.ts';

/** A program that is no part of Kubernetes, and deletes objects when the time is over that a label or an annotation gives. */
interface Program {
  readonly who: string;
  readonly place: 'labels' | 'annotations';
  readonly key: string;
  readonly rule: string;
  /** Milliseconds from the creation of the object; undefined: the value is no duration. */
  lifeOf?(value: string): number | undefined;
  /** Epoch milliseconds; undefined: the value is no time. */
  endOf?(value: string): number | undefined;
}

const programs: readonly Program[] = [
  {
    // parseDeletionTime, pkg/controllers/ttl/utils.go of kyverno/kyverno
    who: "Kyverno's cleanup controller",
    place: 'labels',
    key: 'cleanup.kyverno.io/ttl',
    rule: 'LIFE-1',
    lifeOf: parseGoDuration,
    endOf: atMoment,
  },
  {
    who: 'kube-janitor',
    place: 'annotations',
    key: 'janitor/ttl',
    rule: 'LIFE-2',
    lifeOf: longDuration,
  },
  {
    who: 'kube-janitor',
    place: 'annotations',
    key: 'janitor/expires',
    rule: 'LIFE-2',
    endOf: atMoment,
  },
  {
    who: 'k8s-ttl-controller',
    place: 'annotations',
    key: 'k8s-ttl-controller.twin.sh/ttl',
    rule: 'LIFE-3',
    lifeOf: longDuration,
  },
];

/** Deletions by programs that may run in a cluster (LIFE-1 to LIFE-6). Whether they do, and for which kinds, no object shows. */
export const timeToLive: PassController = {
  id: 'time-to-live',
  controllers: [],
  reads: scheduledPolicies,
  pass: (view, settings, now) => [
    ...view.records().flatMap((record) => deletions(record, now)),
    ...byPolicies.pass(view, settings, now),
  ],
  kept: (_view, record) => {
    const { who, place, key, rule } = programs.find((one) => isMisplaced(record, one)) ?? {};
    if (place === undefined || rule === undefined) return undefined;
    const [found, read] = place === 'labels' ? ['annotation', 'label'] : ['label', 'annotation'];
    const because = `its ${found} ${key} has no effect: ${who} reads the ${read} of that name`;
    return { because, next: '', rule };
  },
};

/** Those by policies alone. */
export const byPolicies: PassController = {
  id: timeToLive.id,
  controllers: [],
  reads: scheduledPolicies,
  pass: (view, _settings, now) =>
    scheduledDeletions(view, now).map((one) => deletionFrom(one.object, one, now)),
};

export function hasTimeToLive(record: ObjectRecord): boolean {
  return deletions(record, 0).length > 0 || programs.some((one) => isMisplaced(record, one));
}

/** Is the time given where the program does not read it? */
function isMisplaced(record: ObjectRecord, { place, key }: Program): boolean {
  const other = place === 'labels' ? 'annotations' : 'labels';
  return record[other]?.[key] !== undefined && record[place]?.[key] === undefined;
}

const noDecisions: readonly Decision[] = Object.freeze([]);

function deletions(record: ObjectRecord, now: number): readonly Decision[] {
  if (isBeingDeleted(record)) return [];
  const expiry = expiryOf(record);
  const isTimed = programs.some(({ place, key }) => record[place]?.[key] !== undefined);
  if (!isTimed && !expiry) return noDecisions;
  const ends = programs.flatMap((one) => endBy(one, record) ?? []);
  return [...ends, ...(expiry ? [expiry] : [])].map((end) => deletionFrom(record, end, now));
}

function deletionFrom(
  record: ObjectRecord,
  { at, because, rule }: TimedEnd,
  now: number,
): Decision {
  return deletion(timeToLive.id, record, {
    notBefore: Math.max(now, at),
    notAfter: undefined,
    because,
    rule,
    confidence: 'unknown',
  });
}

/** When the time of an object is over, in epoch milliseconds. */
interface TimedEnd {
  readonly at: number;
  readonly because: string;
  readonly rule: string;
}

function endBy(
  { who, place, key, rule, lifeOf, endOf }: Program,
  record: ObjectRecord,
): TimedEnd | undefined {
  const value = record[place]?.[key];
  if (value === undefined) return undefined;
  const life = lifeOf?.(value);
  const at = life === undefined ? endOf?.(value) : timeIn(record.creationTimestamp) + life;
  if (at === undefined) return undefined;
  const because = `its ${place.slice(0, -1)} ${key} is ${value}: ${who} deletes it then, if it runs here`;
  return { at, because, rule };
}

/** Velero checks every hour, and deletes what is stored of the backup first (pkg/controller/gc_controller.go of vmware-tanzu/velero). */
function expiryOf({ type, facts }: ObjectRecord): TimedEnd | undefined {
  const { expiresAt } = facts ?? {};
  if (expiresAt === undefined || groupResourceOf(type) !== 'backups.velero.io') return undefined;
  const because = `its status.expiration is ${expiresAt}: Velero deletes it and its stored data within the hour after, if it runs here`;
  return { at: timeIn(expiresAt), because, rule: 'LIFE-4' };
}

/** Weeks and days before a Go duration, as in `7d` or `1d12h`: milliseconds. */
function longDuration(value: string): number | undefined {
  const [, weeks = '0', days = '0', rest] = /^(?:(\d+)w)?(?:(\d+)d)?(.*)$/s.exec(value) ?? [];
  const short = rest === '' && value !== '' ? 0 : parseGoDuration(rest ?? '');
  return short === undefined ? undefined : (Number(weeks) * 7 + Number(days)) * day + short;
}

/** `2026-01-31`, `2026-01-31T12:00:00Z`, or as labels have it, `2026-01-31T120000Z`. */
function atMoment(value: string): number | undefined {
  const found = /^(\d{4}-\d\d-\d\d)(?:T(\d\d):?(\d\d)(?::?(\d\d)Z)?)?$/.exec(value);
  if (!found) return undefined;
  const [, date, hours = '00', minutes = '00', seconds = '00'] = found;
  const time = Date.parse(`${date}T${hours}:${minutes}:${seconds}Z`);
  return Number.isNaN(time) ? undefined : time;
}

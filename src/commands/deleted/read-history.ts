import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { problemOf } from '../../cluster/api-failure.ts';
import type { ClusterClient } from '../../cluster/connection/cluster-client.ts';
import { listInFull } from '../../cluster/list/list-in-full.ts';
import { shellCommand, suggested } from '../../command-line/shell-command.ts';
import { errorMessage, usageError } from '../../errors.ts';
import type { AuditLog } from '../../history/audit-log/audit-log.ts';
import { type History, historyOf, knownTypes } from '../../history/deletions/history.ts';
import {
  type Place,
  placeIn,
  placeKey,
  placeOfRequest,
} from '../../history/deletions/request-index.ts';
import { SavedObjects } from '../../history/deletions/saved-objects.ts';
import { eventType } from '../../kube/core-types.ts';
import type { Json } from '../../kube/json-value.ts';
import type { ObjectLocation } from '../../kube/object-reference.ts';
import type { ResourceTypes } from '../../kube/resource-types.ts';
import { timestampOf } from '../../kube/time.ts';
import { objectEventOf, ReportedEvents } from '../../programs/object-event.ts';
import type { DeletionSources } from '../../questions/deleted/document.ts';
import { findBackupRoot } from '../../restore/backup/backup-directory.ts';
import { listBackups } from '../../restore/backup/list-backups.ts';
import { parseWithin } from '../../shell/flags/flag-kinds.ts';
import type { CommonFlags } from '../../shell/flags/flags.ts';
import { givenTime, parseTime } from '../../shell/input/clock.ts';
import { readAuditLog } from '../../shell/input/read-audit-log.ts';
import { openFiles } from '../../shell/input/read-files.ts';
import { readCluster } from '../../shell/input/read-question.ts';
import type { OpenedCluster, Session } from '../../shell/input/session.ts';
import { type CoverageProblem, problemWhenSaved } from '../../snapshot/coverage.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import { redactHistory } from './redact-history.ts';

export interface HistoryFlags extends CommonFlags {
  readonly 'audit-log'?: readonly string[] | undefined;
  readonly before?: string | undefined;
  readonly after?: string | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly redact?: boolean | undefined;
  readonly output?: string | undefined;
}

/** The object that is asked about, or all of a namespace: undefined for all namespaces. */
export interface AskedFor {
  readonly name?: string | undefined;
  readonly namespace: string | undefined;
}

/** What was read, and what could not be. */
export interface ReadHistory {
  readonly history: History;
  /** Of what was read, before names are replaced. */
  readonly types: ResourceTypes;
  readonly placeOf: (object: ObjectLocation) => Place;
  /** The namespace that is asked about, as the history calls it. */
  readonly namespace: string | undefined;
  /** Undefined offline, and where names are replaced. */
  readonly cluster: OpenedCluster | undefined;
  readonly sources: DeletionSources;
  readonly period: { readonly from: number; readonly to: number };
  readonly snapshots: readonly Snapshot[];
  readonly problems: readonly CoverageProblem[];
}

/** The files that say what the cluster has now. */
function laterFiles({ after, from = [] }: HistoryFlags): readonly string[] {
  if (after === undefined) return from;
  if (from.length === 0) return [after];
  throw usageError('--after and --from both say what the cluster has now, and they may differ', [
    'Leave one of them out.',
  ]);
}

/**
 * Reads audit logs and snapshots, and the cluster where no later snapshot is given. With a log the cluster has to be named: the
 * one of the kubeconfig may be another than the one of the log.
 */
export async function readHistory(
  flags: HistoryFlags,
  session: Session,
  { name, namespace }: AskedFor,
): Promise<ReadHistory> {
  const { before: earlier } = flags;
  const later = laterFiles(flags);
  const period = periodOf(flags);
  const events = new ReportedEvents();
  const onObject = (object: Json) => events.add(object);
  const before =
    earlier === undefined ? undefined : await openEarlier(flags, earlier, onObject, name);
  const wasThere = before && new Set(before.records.map((record) => placeKey(placeIn(record))));
  const log = await readAuditLog(flags['audit-log'], {
    output: flags.output,
    namespace,
    since: period.from,
    until: period.to,
    asksFor: (request) =>
      request.name === name || (wasThere?.has(placeKey(placeOfRequest(request))) ?? false),
  });
  const saved = later.length > 0 ? await openFiles(flags, later, { onObject }) : undefined;
  const { cluster, unreached } = saved ? noCluster : await openNamed(session, log !== undefined);
  const { now, problems } = cluster
    ? await readPresent(cluster, namespace, events)
    : { now: saved, problems: unreached };
  const snapshots = [before, now].filter((one) => one !== undefined);
  const read = { requests: log?.requests ?? [], before, after: now };
  const redacted = flags.redact ? redactHistory(read) : undefined;
  return {
    history: historyOf(redacted?.sources ?? { ...read, events, backups: await savedObjects() }),
    types: knownTypes([before, now], read.requests),
    placeOf: (object) => (redacted ? redacted.placeOf(placeIn(object)) : placeIn(object)),
    namespace:
      namespace === undefined ? undefined : (redacted?.namespaceOf(namespace) ?? namespace),
    // It knows no pseudonym.
    cluster: redacted ? undefined : cluster,
    period,
    snapshots,
    sources: {
      ...logSourceOf(log),
      ...(before && { before: before.observedAt }),
      ...(now && { after: now.observedAt }),
    },
    problems: [
      ...problems,
      ...(before?.coverage.problems ?? []).map((one) => problemWhenSaved(one, earlier ?? '')),
      ...(now?.coverage.problems ?? []).map((one) =>
        cluster ? one : problemWhenSaved(one, later.join(', ')),
      ),
      ...(log || before ? [] : [noHistory]),
      ...(log?.problems ?? []).map(
        (message): CoverageProblem => ({ reason: 'unreadable', message }),
      ),
    ].map((problem) => redacted?.problemOf(problem) ?? problem),
  };
}

interface Reached {
  readonly cluster: OpenedCluster | undefined;
  readonly unreached: readonly CoverageProblem[];
}

const noCluster: Reached = { cluster: undefined, unreached: [] };

/** The cluster, beside a log where flags name it. */
async function openNamed(session: Session, isBesideLog: boolean): Promise<Reached> {
  if (isBesideLog && session.place.connection.length === 0) return noCluster;
  try {
    return { cluster: await session.cluster(), unreached: [] };
  } catch (error) {
    // The log answers, too, and the cluster may be down for what it logged.
    if (!isBesideLog) throw error;
    const message = `the cluster could not be asked: ${errorMessage(error)}`;
    return { cluster: undefined, unreached: [{ reason: 'unavailable', message }] };
  }
}

async function readPresent(
  cluster: OpenedCluster,
  namespace: string | undefined,
  events: ReportedEvents,
): Promise<{ readonly now: Snapshot; readonly problems: readonly CoverageProblem[] }> {
  const [now, { items, problems }] = await Promise.all([
    readCluster(cluster, { namespace: undefined, facts: true }),
    listEvents(cluster.client, namespace),
  ]);
  // Items of a list do not say their kind.
  for (const item of items) events.take(objectEventOf(item));
  return { now, problems };
}

/** Undefined for an empty log, which has no times. */
function logSourceOf(log: AuditLog | undefined): Pick<DeletionSources, 'log'> {
  if (log?.from === undefined || log.to === undefined) return {};
  const { from, to, events } = log;
  const gaps = log.gaps.map((gap) => ({ from: timestampOf(gap.from), to: timestampOf(gap.to) }));
  return {
    log: {
      from: timestampOf(from),
      to: timestampOf(to),
      events,
      ...(gaps.length > 0 && { gaps }),
    },
  };
}

/** What the cluster has now shows deletions that have left a trace, and no others. */
const noHistory: CoverageProblem = {
  reason: 'not-in-input',
  message: 'no audit log and no earlier snapshot was read',
};

/** `--since` is a duration before now or a time, as is `--until`; without them, all that was read. */
function periodOf(flags: Pick<HistoryFlags, 'since' | 'until' | 'now'>): ReadHistory['period'] {
  const now = givenTime(flags)?.getTime() ?? Date.now();
  const timeFrom = (text: string, flag: string) =>
    /^\d{4}-/.test(text) ? parseTime(text, flag).getTime() : now - parseWithin(text, flag);
  const { since, until } = flags;
  const from = since === undefined ? Number.NEGATIVE_INFINITY : timeFrom(since, '--since');
  const to = until === undefined ? Number.POSITIVE_INFINITY : timeFrom(until, '--until');
  if (from <= to) return { from, to };
  throw usageError('--since is later than --until: no time lies between them', [
    suggested('For the last two hours', shellCommand`kubectl gc deleted --since 2h`),
  ]);
}

/** Finds the newest snapshot of a folder that contains an object with this name. */
async function openEarlier(
  flags: CommonFlags,
  path: string,
  onObject: (object: Json) => void,
  name?: string,
): Promise<Snapshot> {
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  const saved = isFolder
    ? readdirSync(path).filter((file) => /\.json(\.gz|\.zst)?$/.test(file))
    : [];
  const newestFirst = saved
    .map((file) => join(path, file))
    .sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs);
  for (const file of name === undefined ? [] : newestFirst) {
    const snapshot = await openFiles(flags, [file], { onObject });
    if (snapshot.records.some((record) => record.name === name)) return snapshot;
  }
  return openFiles(flags, [newestFirst[0] ?? path], { onObject });
}

async function listEvents(client: ClusterClient, namespace: string | undefined) {
  try {
    const { items } = await listInFull(client, { type: eventType, namespace, fields: undefined });
    return { items, problems: [] };
  } catch (error) {
    return {
      items: [],
      problems: [problemOf(error, 'list', { type: eventType, namespace: namespace ?? '' })],
    };
  }
}

/** The newest backup that contains an object. None for a user without a home folder. */
async function savedObjects(): Promise<SavedObjects> {
  const root = findBackupRoot();
  const found = root === undefined ? [] : await listBackups(root);
  const saved = new SavedObjects();
  for (const { path, createdAt, entries } of found.toReversed()) {
    for (const entry of entries) {
      if (entry.file !== undefined) saved.add(entry, { path, at: createdAt });
    }
  }
  return saved;
}

import { type ExitCode, exitCodes } from '../../errors.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import { type ApplyFlags, applyOptionsOf } from '../flags/apply-flags.ts';
import { timeOf } from '../input/clock.ts';
import { listCluster, openFiles } from '../input/input.ts';
import { listKinds } from '../input/open-kinds.ts';
import type { OpenedCluster, Session } from '../input/session.ts';
import { findCollectorSettings } from '../settings/controller-settings.ts';
import { writeErr } from '../terminal/streams.ts';
import { applicableCollectors, ownerCollector } from './applicable-controllers.ts';
import { applyOffline } from './apply-offline.ts';
import { applyOnCluster } from './apply-on-cluster.ts';
import { chosenCollectors, forecastWork, switchedOff } from './due-of-forecast.ts';
import { ownerDecisions, withOwnersLookedUp } from './due-of-garbage-collector.ts';
import type { Work } from './due-requests.ts';

interface ForecastFlags extends ApplyFlags {
  readonly collector?: readonly string[] | undefined;
  readonly settings?: string | undefined;
}

/** Does by hand what the named collectors would do now. */
export async function applyForecast(
  flags: ForecastFlags,
  scope: (record: ObjectRecord) => boolean,
  session: Session,
): Promise<ExitCode> {
  const ids = applicableCollectors(flags.collector);
  applyOptionsOf(flags);
  const { settings } = await findCollectorSettings(flags, session);
  const off = switchedOff({ ids, settings });
  if (off.length > 0) writeErr(`Switched off, and doing nothing: ${off.join(', ')}.`);
  const workOf = (snapshot: Snapshot): Work => {
    const now = timeOf(flags)?.getTime() ?? Date.parse(snapshot.observedAt);
    return forecastWork(snapshot, { ids, settings, scope, now });
  };
  const hasOwners = ids.has(ownerCollector) && !off.includes(ownerCollector);
  if (flags.from) {
    const snapshot = await openFiles(flags, flags.from);
    const work = workOf(snapshot);
    const more = hasOwners ? together(work, ownerDecisions(snapshot, scope)) : work;
    await applyOffline(flags, snapshot, more);
    return exitCodes.ok;
  }
  return applyOnCluster(flags, session, async (cluster) => {
    const snapshot = await read(cluster, ids);
    const work = workOf(snapshot);
    if (!hasOwners) return work;
    return together(work, await withOwnersLookedUp(cluster, ownerDecisions(snapshot, scope)));
  });
}

/** An owner may be anywhere. */
function read(cluster: OpenedCluster, ids: ReadonlySet<string>): Promise<Snapshot> {
  if (ids.has(ownerCollector)) return listCluster(cluster, undefined, { facts: true });
  const reads = chosenCollectors(ids).flatMap(({ reads: some }) => some);
  return listKinds(cluster, [...reads, 'leases.coordination.k8s.io']);
}

function together(work: Work, more: Pick<Work, 'due' | 'leftAlone'>): Work {
  const known = new Set(work.due.map(({ record }) => record.uid));
  return {
    ...work,
    due: [...work.due, ...more.due.filter(({ record }) => !known.has(record.uid))],
    leftAlone: [...work.leftAlone, ...more.leftAlone],
  };
}

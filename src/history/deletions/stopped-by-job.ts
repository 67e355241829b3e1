import type { OwnerReference } from '../../kube/object-record.ts';
import { second } from '../../kube/time.ts';
import type { History, Lifetime } from './history.ts';
import { type JobStop, jobStopAt, jobStopBy } from './job-stop.ts';
import { lifetimesAt } from './lifetimes.ts';

/**
 * Why the Job controller deleted a Pod at that time, epoch milliseconds: as its Job shows or, where that does not exist any
 * more, its Events.
 */
export function jobStopOf(
  history: History,
  { place }: Lifetime,
  owner: OwnerReference,
  at: number,
): JobStop | undefined {
  const { kind, name, uid } = owner;
  const home = kind === 'Job' ? history.placeOfOwner(place, owner) : undefined;
  if (!home) return undefined;
  const job = lifetimesAt(history, home).find((one) => one.uid === uid)?.record;
  const shown = job && jobStopAt(job, at);
  if (shown) return shown;
  const finished = history.events
    .about(history.referenceTo(home, uid))
    .filter(({ time }) => Date.parse(time) >= Math.floor(at / second) * second);
  return finished.map(({ reason }) => jobStopBy(reason, name)).find((stop) => stop !== undefined);
}

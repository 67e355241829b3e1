import type { FinalizerController } from '../finalizers/known-finalizer.ts';
import { matches } from '../finalizers/matches.ts';
import { runsController } from '../finalizers/workloads-of.ts';
import type { ObjectRecord } from '../kube/object-record.ts';
import type { AuditView } from './audit-rule.ts';

const workloads = ['deployments.apps', 'statefulsets.apps', 'daemonsets.apps'];
/** Milliseconds within which a leader renews its Lease. */
const fresh = 60_000;

export type Sighting = 'runs' | 'down' | 'missing' | 'unread';

/** Does the controller run, as far as its workloads, pods and Leases tell? In doubt it does. */
export function controllerSighting(
  { of, now }: Pick<AuditView, 'of' | 'now'>,
  controller: FinalizerController,
): Sighting {
  const isIt = (record: ObjectRecord) =>
    runsController(
      record,
      controller,
      (record.facts?.containers ?? []).flatMap(({ image }) => image ?? []),
    );
  const found = workloads.flatMap((resource) => of(resource).filter(isIt));
  const pods = of('pods').filter(isIt);
  const leads = of('leases.coordination.k8s.io').some(
    ({ name, facts }) =>
      controller.leases?.some((lease) => matches(lease, name)) &&
      now - Date.parse(facts?.renewTime ?? '') < fresh,
  );
  if (leads || found.some(mayBeReady) || pods.some(mayRun)) return 'runs';
  if (found.length + pods.length > 0) return 'down';
  // It may be one of those of which only metadata was read: images and renewTime tell.
  const mayBe = [...workloads, 'pods'].some((resource) => of(resource).some(isBare));
  const mayLead = of('leases.coordination.k8s.io').some(
    (lease) => isBare(lease) && controller.leases?.some((one) => matches(one, lease.name)),
  );
  return mayLead || (mayBe && (controller.images ?? []).length > 0) ? 'unread' : 'missing';
}

function isBare({ facts }: ObjectRecord): boolean {
  return facts === undefined;
}

/** Without a status nobody knows. */
function mayBeReady({ facts }: ObjectRecord): boolean {
  if (facts?.replicas === 0) return false;
  if (facts?.observedGeneration === undefined) return true;
  return (facts.availableReplicas ?? facts.readyReplicas ?? facts.numberReady ?? 0) > 0;
}

function mayRun({ facts }: ObjectRecord): boolean {
  return facts?.phase === undefined || facts.phase === 'Running';
}

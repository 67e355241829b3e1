import {
  controllerFor,
  type FinalizerController,
  type KnownFinalizer,
  runsController,
} from '../../../controllers/finalizers/known-finalizer.ts';
import { knownFinalizer } from '../../../controllers/finalizers/known-finalizers.ts';
import { isLeaseValid, readingTime } from '../../../controllers/leader-lease.ts';
import { matchesPattern } from '../../../kube/names.ts';
import { isBeingDeleted, type ObjectRecord } from '../../../kube/object-record.ts';
import { patchCommandOf } from '../../fixes.ts';
import type { AuditRule, AuditView, AuditViolation } from '../audit-rule.ts';

/** The workloads that run a finalizer's controller are of these kinds. */
const programs = ['deployments.apps', 'statefulsets.apps', 'daemonsets.apps', 'pods'];

export const finalizerWithoutController: AuditRule = {
  id: 'finalizer-without-controller',
  title: 'A finalizer whose controller does not run',
  severity: 'warning',
  consequence: 'its deletion will not end: no running controller removes the finalizer',
  advice: 'Bring the program back, delete the objects while it runs, and uninstall it then.',
  subjects: [],
  readsFacts: false,
  check: (view) => {
    const { graph } = view;
    const sighting = sightings(view);
    const unread = programs.find((resource) => {
      const [type] = graph.snapshot.types.versions(resource);
      return type && !graph.coverage.coversKind(type, '');
    });
    // Objects that are already being deleted are left to the rules about deletions that do not end.
    return graph.snapshot.records.flatMap((record) =>
      isBeingDeleted(record)
        ? []
        : record.finalizers.flatMap((finalizer, index) => {
            const known = knownFinalizer(finalizer);
            if (known?.setBy.runsIn !== 'workload' || known.setBy.mayRunElsewhere) return [];
            if (unread !== undefined) {
              view.cannotTell(record, `${unread} were not read in every namespace`);
              return [];
            }
            const { title } = known.setBy;
            const found = sighting(known, record.type.group);
            if (found === 'runs') return [];
            if (found === 'unread') {
              view.cannotTell(record, 'only metadata of workloads or Leases was read');
              return [];
            }
            const path = `/metadata/finalizers/${index}`;
            const violation: AuditViolation = {
              object: record,
              message: `${finalizer} is removed by the ${title}, ${found === 'down' ? 'which has no ready pod' : 'and no workload looks like it'}; it protects ${known.protects}`,
              confidence: found === 'down' ? 'certain' : 'likely',
              fix: {
                summary: `bring the ${title} back; only if it is gone for good, remove the finalizer`,
                command: patchCommandOf(record, [
                  { op: 'test', path, value: finalizer },
                  { op: 'remove', path },
                ]),
              },
            };
            return [violation];
          }),
    );
  },
};

/** Looks for each controller once. */
function sightings(view: AuditView): (finalizer: KnownFinalizer, group: string) => Sighting {
  const seen = new Map<string, Sighting>();
  return ({ name, setBy }, group) => {
    const key = `${name} ${group}`;
    const found = seen.get(key) ?? controllerSighting(view, controllerFor(setBy, group));
    seen.set(key, found);
    return found;
  };
}

const workloads = ['deployments.apps', 'statefulsets.apps', 'daemonsets.apps'];

type Sighting = 'runs' | 'down' | 'missing' | 'unread';

/** Does the controller run, as far as its workloads, pods and Leases tell? In doubt, yes. */
function controllerSighting(
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
      controller.leases?.some((lease) => matchesPattern(lease, name)) &&
      isLeaseValid(facts ?? {}, now, readingTime),
  );
  if (leads || found.some(mayBeReady) || pods.some(mayRun)) return 'runs';
  if (found.length + pods.length > 0) return 'down';
  // It may be one of those of which only metadata was read: images and renewTime tell.
  const mayBe = [...workloads, 'pods'].some((resource) => of(resource).some(isBare));
  const mayLead = of('leases.coordination.k8s.io').some(
    (lease) => isBare(lease) && controller.leases?.some((one) => matchesPattern(one, lease.name)),
  );
  return mayLead || (mayBe && (controller.images ?? []).length > 0) ? 'unread' : 'missing';
}

function isBare({ facts }: ObjectRecord): boolean {
  return facts === undefined;
}

/** Without a status it is unknown. */
function mayBeReady({ facts }: ObjectRecord): boolean {
  if (facts?.replicas === 0) return false;
  if (facts?.observedGeneration === undefined) return true;
  return (facts.availableReplicas ?? facts.readyReplicas ?? facts.numberReady ?? 0) > 0;
}

function mayRun({ facts }: ObjectRecord): boolean {
  return facts?.phase === undefined || facts.phase === 'Running';
}

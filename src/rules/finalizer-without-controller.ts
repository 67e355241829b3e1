import type { KnownFinalizer } from '../finalizers/known-finalizer.ts';
import { knownFinalizer } from '../finalizers/known-finalizers.ts';
import { controllerFor } from '../finalizers/workloads-of.ts';
import { isBeingDeleted } from '../kube/object-record.ts';
import type { AuditRule, AuditView, AuditViolation } from './audit-rule.ts';
import { patchOf } from './commands.ts';
import { controllerSighting, type Sighting } from './controller-sighting.ts';

/** Whoever runs a controller is found among these. */
const programs = ['deployments.apps', 'statefulsets.apps', 'daemonsets.apps', 'pods'];

export const finalizerWithoutController: AuditRule = {
  id: 'finalizer-without-controller',
  title: 'A finalizer whose controller does not run',
  severity: 'warning',
  consequence: 'its deletion will not end: nobody takes the finalizer off',
  subjects: [],
  readsFacts: false,
  check: (view) => {
    const { graph } = view;
    const sighting = sightings(view);
    const unread = programs.find((resource) => {
      const [type] = graph.snapshot.types.versions(resource);
      return type && !graph.coverage.coversKind(type, '');
    });
    // What is being deleted already is the business of the rules about deletions that do not end.
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
              message: `${finalizer} is taken off by the ${title}, ${found === 'down' ? 'which has no ready pod' : 'and no workload looks like it'}; it protects ${known.protects}`,
              confidence: found === 'down' ? 'certain' : 'likely',
              fix: {
                summary: `bring the ${title} back; only if it is gone for good, take the finalizer off`,
                command: patchOf(record, [
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

import { controllerFor } from '../../controllers/finalizers/known-finalizer.ts';
import { knownFinalizer } from '../../controllers/finalizers/known-finalizers.ts';
import {
  type ProgramLife,
  programKindsUnread,
  programLives,
} from '../../controllers/finalizers/program-life.ts';
import { isBeingDeleted } from '../../kube/object-record.ts';
import { isOfCluster } from '../../snapshot/snapshot.ts';
import { patchCommandOf, type Rule, type View, type Violation } from '../rule.ts';
import { findStuckDeletions } from './stuck-deletions.ts';

export const stuckObject: Rule = {
  id: 'stuck-object',
  title: 'A deletion that does not end',
  severity: 'error',
  consequence: 'never gone: it stays, being deleted, and whatever waits for it waits on',
  advice:
    'Bring back what should finish it: that cleans up, too. `kubectl gc why` shows the chain, and with `--fix` offers the smallest safe step. Do not empty `spec.finalizers` of a namespace: that leaves in etcd what was in it.',
  check: findStuckDeletions,
};

export const finalizerWithoutController: Rule = {
  id: 'finalizer-without-controller',
  title: 'A finalizer whose controller does not run',
  severity: 'warning',
  consequence: 'its deletion will not end: no running controller removes the finalizer',
  advice: 'Bring the program back, delete the objects while it runs, and uninstall it then.',
  check: (view) => {
    const lifeOf = livesIn(view);
    // Objects that are already being deleted are left to the rules about deletions that do not end.
    return view.graph.snapshot.records.flatMap((record) =>
      isBeingDeleted(record)
        ? []
        : record.finalizers.flatMap((finalizer, index) => {
            const known = knownFinalizer(finalizer);
            if (known?.setBy.runsIn !== 'workload') return [];
            const { title, mayRunElsewhere } = known.setBy;
            const life = lifeOf(finalizer, record.type.group);
            if (life?.state === 'unread' && life.programs.length === 0 && !mayRunElsewhere) {
              view.cannotTell(record, life.because);
            }
            if (life?.state !== 'down' && life?.state !== 'missing') return [];
            const path = `/metadata/finalizers/${index}`;
            const violation: Violation = {
              object: record,
              message: `${finalizer} is removed by the ${title}, ${life.state === 'down' ? 'which does not run: ' : 'and '}${life.because}; it protects ${known.protects}`,
              confidence: life.state === 'down' ? 'certain' : 'likely',
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

/** Looks for each program once. */
function livesIn({
  graph,
  now,
}: View): (finalizer: string, group: string) => ProgramLife | undefined {
  const { snapshot, coverage } = graph;
  const lifeOf = programLives({
    records: snapshot.records,
    unread: programKindsUnread(snapshot.types, coverage),
    now,
    ofCluster: isOfCluster(snapshot),
  });
  const seen = new Map<string, ProgramLife | undefined>();
  return (finalizer, group) => {
    const key = `${finalizer} ${group}`;
    if (!seen.has(key)) {
      const known = knownFinalizer(finalizer);
      seen.set(key, known && lifeOf(controllerFor(known.setBy, group)));
    }
    return seen.get(key);
  };
}

import type { DeletionIntent, Plan, PlanContext, Wait } from '../../../src/deletion/plan/plan.ts';
import { planDeletion } from '../../../src/deletion/plan/plan-deletion.ts';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { type SnapshotOptions, snapshotOf } from '../../support/builders.ts';

export const context: PlanContext = {
  now: Date.parse('2026-01-03T00:00:00Z'),
  settings: {},
  cluster: { server: 'https://shop.example.com', uid: 'uid-of-kube-system' },
};

/** A plan to delete these objects of a cluster in which everything was read. */
export function planned(
  records: readonly ObjectRecord[],
  targets: ObjectRecord | readonly ObjectRecord[],
  intent: Partial<Omit<DeletionIntent, 'targets'>> = {},
  options: SnapshotOptions = {},
  around: Partial<PlanContext> = {},
): Plan {
  const list = 'type' in targets ? [targets] : targets;
  return planDeletion(
    snapshotOf(records, options),
    { policy: 'Background', ...intent, targets: list },
    { ...context, ...around },
  );
}

/** `web: deleted (GC-61)`, one line per object. */
export function ruled({ objects }: Plan): string[] {
  return objects.map(({ name, fate, rule }) => `${name}: ${fate} (${rule})`);
}

/** `web: deleted`, one line per object. */
export function fatesOfPlan({ objects }: Plan): string[] {
  return objects.map(({ name, fate }) => `${name}: ${fate}`);
}

/** `0 Deployment web: deleted (GC-61)`, one line per object. */
export function fates({ objects }: Plan): string[] {
  return objects.map(
    ({ wave, kind, name, fate, rule }) => `${wave} ${kind} ${name}: ${fate} (${rule})`,
  );
}

/** The finalizer, the Node of the kubelet, the API, or the webhook. */
export function blockerOf(wait: Wait): string {
  if ('finalizer' in wait) return wait.finalizer;
  if ('api' in wait) return wait.api;
  return 'kubelet' in wait ? wait.kubelet : wait.webhook;
}

/** `Pod db: terminating, then deleted (kubelet of lost of Pod db)`, one line per object. */
export function endsOf({ objects }: Plan): string[] {
  return objects.map(({ kind, name, fate, then, waitsFor = [] }) => {
    const waits = waitsFor.map(
      (wait) =>
        `${'kubelet' in wait ? 'kubelet of ' : ''}${blockerOf(wait)} of ${wait.object.kind} ${wait.object.name}`,
    );
    return `${kind} ${name}: ${fate}${then ? `, then ${then} (${waits.join(', ')})` : ''}`;
  });
}

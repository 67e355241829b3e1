import type { Plan, PlannedObject } from '../../../src/deletion/plan/plan.ts';
import { planOf } from '../../perform/send/plans.ts';

/** An object of `shop` that a plan deletes. */
export function planned(
  kind: string,
  name: string,
  changes: Partial<PlannedObject> = {},
): PlannedObject {
  const apiVersion = kind === 'Deployment' ? 'apps/v1' : 'v1';
  const place = { apiVersion, kind, namespace: 'shop', name, uid: `uid-${name}` };
  return { ...place, wave: 1, fate: 'deleted', because: '', rule: '', blockedBy: [], ...changes };
}

/** A plan whose objects are to be saved. */
export function planToSave(...objects: PlannedObject[]): Plan {
  const cluster = { server: 'https://api.example.com:6443', uid: 'uid-kube-system' };
  return { ...planOf([], objects), cluster };
}

import { apiVersionOf, groupResourceOf } from '../kube/resource-type.ts';
import type { Scope } from './scopes.ts';
import type { TrackedObjects } from './tracked-objects.ts';

/** What a complete list of a scope did not have is gone. */
export function noteList(tracked: TrackedObjects, scope: Scope, seen: ReadonlySet<string>): void {
  for (const { planned } of scope.objects) {
    if (!seen.has(planned.uid)) tracked.gone(planned.uid);
  }
  const apiVersion = apiVersionOf(scope.type);
  for (const [uid, { object }] of tracked.unplanned) {
    const isHere =
      object.kind === scope.type.kind &&
      object.apiVersion === apiVersion &&
      (scope.namespace === undefined || object.namespace === scope.namespace) &&
      (scope.name === undefined || object.name === scope.name);
    if (isHere && !seen.has(uid)) tracked.gone(uid);
  }
}

/** A kind that is not served any more: its objects are gone when its definition is. */
export function noteGone(tracked: TrackedObjects, scope: Scope): void {
  const definition = groupResourceOf(scope.type);
  for (const { planned, present } of tracked.all) {
    if (planned.kind !== 'CustomResourceDefinition' || planned.name !== definition) continue;
    if (present === false) noteList(tracked, scope, new Set());
  }
}

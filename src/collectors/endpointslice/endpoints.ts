import type { ClusterView } from '../cluster-view.ts';
import type { Decision } from '../collector.ts';
import { deletion } from '../decide.ts';

export const leaderAnnotation = 'control-plane.alpha.kubernetes.io/leader';

/** Endpoints without a Service, made by hand or not, go when the controllers next start (OTH-3, OTH-4). */
export function orphanedEndpoints(view: ClusterView, now: number): Decision[] {
  return view
    .all('endpoints')
    .filter(
      ({ namespace, name, annotations }) =>
        annotations?.[leaderAnnotation] === undefined &&
        view.covers('services', namespace, name) &&
        !view.at('services', namespace, name),
    )
    .map((endpoints) =>
      deletion('endpointslice', endpoints, {
        notBefore: now,
        notAfter: undefined,
        confidence: 'likely',
        because: `there is no Service ${endpoints.name}; endpoints-controller deletes it at the next start or change of leader of kube-controller-manager`,
        rule: 'OTH-4',
      }),
    );
}

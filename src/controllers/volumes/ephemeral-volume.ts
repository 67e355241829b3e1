import { controllerOf } from '../../kube/object-record.ts';
import { knownVolumesOf } from '../../kube/pod-use.ts';
import type { SyncedController } from '../controller.ts';

/** Creates claims for Pods and deletes none: the garbage collector deletes them. A claim that the Pod does not own stays (EPH-1). */
export const ephemeralVolume: SyncedController = {
  id: 'ephemeral-volume',
  controllers: ['ephemeral-volume-controller'],
  reads: ['pods', 'persistentvolumeclaims'],
  syncers: [],
  leftovers: (view) =>
    view.all('pods').flatMap((pod) =>
      knownVolumesOf(pod).flatMap(({ name, ephemeral }) => {
        const claim = view.at('persistentvolumeclaims', pod.namespace, `${pod.name}-${name}`);
        if (!ephemeral || !claim || controllerOf(claim)?.uid === pod.uid) return [];
        const because = `pod ${pod.name} wants a claim of this name, but does not own this one; it blocks the pod`;
        return [{ collector: ephemeralVolume.id, object: claim, because, rule: 'EPH-1' }];
      }),
    ),
};

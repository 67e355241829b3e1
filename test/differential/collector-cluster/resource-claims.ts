import { container, controlledBy, type Draw, hold, type Loose, minute, times } from './draw.ts';

const namespace = 'clean-a';
const protection = 'resource.kubernetes.io/delete-protection';

/** Claims for devices, reserved for pods that run, are done, were replaced or are gone. */
export function resourceClaims(draw: Draw): Loose[] {
  const { chance, one, seed, ago } = draw;
  return times(14, (index) => {
    const name = `device-user-${index}`;
    const uid = `${name}-${seed}`;
    const state = one(['running', 'done', 'unscheduled', 'gone', 'replaced']);
    const user = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name,
        namespace,
        uid: state === 'replaced' ? `other-${uid}` : uid,
        ...(state === 'unscheduled' && {
          finalizers: [hold],
          deletionTimestamp: ago(minute),
          deletionGracePeriodSeconds: 0,
        }),
      },
      spec: {
        containers: [container],
        ...(state !== 'unscheduled' && { nodeName: 'quiet' }),
      },
      status: { phase: state === 'done' ? one(['Succeeded', 'Failed']) : 'Running' },
    };
    const fromTemplate = chance(0.7);
    const isReserved = chance(0.7);
    const others = chance(0.2) ? [{ apiGroup: 'example.com', resource: 'gadgets' }] : [];
    const claim = {
      apiVersion: 'resource.k8s.io/v1',
      kind: 'ResourceClaim',
      metadata: {
        name: `device-${index}`,
        namespace,
        ...(isReserved && chance(0.85) && { finalizers: [protection] }),
        ...(fromTemplate && {
          annotations: { 'resource.kubernetes.io/pod-claim-name': 'device' },
          ownerReferences: controlledBy(user, uid),
        }),
      },
      spec: {
        devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'd', count: 1 } }] },
      },
      status: {
        ...(isReserved && {
          allocation: { devices: {} },
          reservedFor: [
            { resource: 'pods', name, uid },
            ...others.map((other) => ({ ...other, name: 'g', uid: `gadget-${index}` })),
          ],
        }),
      },
    };
    return state === 'gone' ? [claim] : [user, claim];
  }).flat();
}

import { timestampOf } from '../../src/kube/time.ts';

const request = (
  verb: string,
  kind: string,
  namespace: string,
  name: string,
  more: object = {},
) => ({
  ...{ verb, apiVersion: 'v1', kind, namespace, name, after: '50ms' },
  ...more,
});

/** What users ask for, one after another; the Node that is down comes last. */
export function interactingRequests(now: number): readonly Record<string, unknown>[] {
  const apps = { apiVersion: 'apps/v1' };
  const removeClaim = (name: string) => request('delete', 'PersistentVolumeClaim', 'volumes', name);
  const retention = { spec: { persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete' } } };
  const down = {
    type: 'Ready',
    status: 'False',
    lastHeartbeatTime: timestampOf(now),
    lastTransitionTime: timestampOf(now),
  };
  return [
    request('delete', 'Node', '', 'leaving'),
    request('create', 'Node', '', 'down', {
      object: {
        apiVersion: 'v1',
        kind: 'Node',
        metadata: { name: 'down' },
        status: { conditions: [down] },
      },
    }),
    request('patch', 'Node', '', 'tainted', {
      patch: { spec: { taints: [{ key: 'full', effect: 'NoExecute' }] } },
    }),
    ...['used', 'held', 'kept', 'failing'].map(removeClaim),
    request('delete', 'PersistentVolume', '', 'of-first'),
    request('delete', 'ServiceAccount', 'accounts', 'robot'),
    request('delete', 'Service', 'services', 'web'),
    request('delete', 'Service', 'services', 'bare'),
    request('patch', 'Deployment', 'sets', 'web', {
      ...{ ...apps, patch: { spec: { revisionHistoryLimit: 1 } } },
    }),
    request('patch', 'StatefulSet', 'sets', 'eager', {
      ...{ ...apps, patch: { spec: { revisionHistoryLimit: 1 } } },
    }),
    request('patch', 'StatefulSet', 'sets', 'shrinking', {
      ...{ ...apps, patch: { spec: { replicas: 1 } } },
    }),
    request('patch', 'StatefulSet', 'sets', 'late', { ...apps, patch: retention }),
    request('delete', 'Pod', 'devices', 'trainer', { gracePeriodSeconds: 0 }),
    request('delete', 'Pod', 'volumes', 'user', { gracePeriodSeconds: 0, after: '2s' }),
    { ...removeClaim('first'), after: '2s' },
    request('delete', 'StatefulSet', 'sets', 'eager', apps),
    request('delete', 'StatefulSet', 'sets', 'late', apps),
  ];
}

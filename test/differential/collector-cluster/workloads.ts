import {
  container,
  controlledBy,
  type Draw,
  hold,
  hour,
  type Loose,
  minute,
  times,
} from './draw.ts';

const namespace = 'clean-b';

/** Deployments with histories of ReplicaSets. */
export function deployments(draw: Draw): Loose[] {
  return times(4, (index) => deployment(draw, `web-${index}`)).flat();
}

const revision = (number: number | string) => ({
  'deployment.kubernetes.io/revision': `${number}`,
});

function deployment(draw: Draw, name: string): Loose[] {
  const { chance, one, between, ago, seed } = draw;
  const labels = { app: name };
  const count = between(2, 7);
  const replicas = chance(0.3) ? 1 : 0;
  const isComplete = chance(0.8);
  // Pods that an old ReplicaSet has not got rid of yet; the Deployment counts them.
  const lingering = times(count - 1, () => (chance(0.1) ? 1 : 0));
  const owner = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      name,
      namespace,
      uid: `${name}-${seed}`,
      generation: 1,
      annotations: {
        ...revision(count),
        ...(chance(0.1) && { 'deprecated.deployment.rollback.to': '1' }),
      },
    },
    spec: {
      replicas,
      revisionHistoryLimit: one([0, 1, 2, 3, 2 ** 31 - 1]),
      paused: chance(0.2),
      selector: { matchLabels: labels },
      strategy: { type: 'Recreate' },
      template: { metadata: { labels }, spec: { containers: [container] } },
    },
    status: {
      observedGeneration: 1,
      replicas: lingering.reduce<number>((sum, one) => sum + one, replicas),
      updatedReplicas: replicas,
      readyReplicas: replicas,
      availableReplicas: isComplete ? replicas : 0,
    },
  };
  const sets = times(count, (index) => {
    const number = index + 1;
    const isCurrent = number === count;
    const own = isCurrent ? replicas : 0;
    const hash = { ...labels, 'pod-template-hash': `${number}` };
    const image = isCurrent ? 'i' : `i:${number}`;
    return {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: {
        name: `${name}-${number}`,
        namespace,
        generation: 1,
        creationTimestamp: ago((20 - number) * hour),
        labels: hash,
        annotations:
          isCurrent || chance(0.8)
            ? revision(number)
            : one<Record<string, string>>([{}, revision('x')]),
        ...(chance(0.15) && { finalizers: [hold] }),
        ...(!isCurrent &&
          chance(0.1) && {
            finalizers: [hold],
            deletionTimestamp: ago(minute),
            deletionGracePeriodSeconds: 0,
          }),
        ownerReferences: controlledBy(owner),
      },
      spec: {
        replicas: own,
        selector: { matchLabels: hash },
        template: { metadata: { labels: hash }, spec: { containers: [{ ...container, image }] } },
      },
      status: {
        replicas: own,
        fullyLabeledReplicas: own,
        readyReplicas: own,
        availableReplicas: isComplete ? own : 0,
        observedGeneration: isCurrent || chance(0.9) ? 1 : 0,
        ...(!isCurrent && { replicas: lingering[index] }),
      },
    };
  });
  return [owner, ...sets];
}

/** Sets with old revisions; the current one is made by their controllers. */
export function setsWithRevisions(draw: Draw): Loose[] {
  return [
    ...times(3, (index) => set(draw, 'StatefulSet', `db-${index}`)),
    ...times(2, (index) => set(draw, 'DaemonSet', `agent-${index}`)),
  ].flat();
}

function set(draw: Draw, kind: 'StatefulSet' | 'DaemonSet', name: string): Loose[] {
  const { chance, between, ago, seed } = draw;
  const labels = { app: name };
  const owner = {
    apiVersion: 'apps/v1',
    kind,
    metadata: { name, namespace, uid: `${name}-${seed}`, generation: 1 },
    spec: {
      // Lowered when the current revision is there.
      revisionHistoryLimit: 100,
      selector: { matchLabels: labels },
      updateStrategy: { type: 'OnDelete' },
      template: {
        metadata: { labels },
        spec: {
          containers: [container],
          ...(kind === 'DaemonSet' && { nodeSelector: { daemons: 'yes' } }),
        },
      },
      ...(kind === 'StatefulSet' && {
        replicas: between(0, 3),
        serviceName: 'none',
        podManagementPolicy: 'Parallel',
        volumeClaimTemplates: chance(0.8) ? [claimTemplate] : [],
      }),
    },
  };
  const revisions = times(between(0, 5), (index) => ({
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name: `${name}-old-${index}`,
      namespace,
      labels,
      creationTimestamp: ago(between(1, 3) * hour),
      ...(chance(0.15) && { finalizers: [hold] }),
      ownerReferences: controlledBy(owner),
    },
    data: { spec: { template: { $patch: 'replace', metadata: { labels: { v: `${index}` } } } } },
    revision: kind === 'DaemonSet' ? index + 1 : between(1, 4),
  }));
  return [owner, ...revisions];
}

const claimTemplate = {
  metadata: { name: 'data' },
  spec: {
    accessModes: ['ReadWriteMany'],
    resources: { requests: { storage: '1Gi' } },
    storageClassName: 'kept-apart',
  },
};

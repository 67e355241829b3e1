import { eventually } from '../support/eventually.ts';
import {
  type Doomed,
  ending,
  labels,
  podSpec,
  podTemplate,
  type Scenario,
  type Scene,
  workload,
} from './deleted-scene.ts';
import type { Actor } from './deleted-stage.ts';

/** Of these pods the one that exists no more, once that is so. */
async function lostOf(scene: Scene, objects: readonly Doomed[]): Promise<Doomed> {
  return eventually(`a loss in ${scene.namespace}`, async () => {
    for (const one of objects) {
      const { status, body } = await scene.plane.request(one.path);
      if (status === 404 || !body.includes(one.uid)) return one;
    }
    return undefined;
  });
}

async function deployment(scene: Scene, replicas: number, more: object = {}) {
  await scene.make('Deployment web', workload(replicas, more));
  const set = await scene.only('ReplicaSet');
  return { web: await scene.doomed('Deployment web'), set, pods: await scene.all('Pod', replicas) };
}

/** A Deployment loses a pod, because somebody asked for fewer. */
async function scaledDown(
  scene: Scene,
  actor: Actor,
  scale: (web: Doomed) => Promise<unknown>,
): Promise<() => Promise<void>> {
  const { web, set, pods } = await deployment(scene, 2);
  return async () => {
    await scale(web);
    const pod = await lostOf(scene, pods);
    const between = scene.optional(scene.byController(set, 'deployment-controller'));
    const deleted = scene.byController(pod, 'replicaset-controller');
    scene.truth('pod', pod, deleted, between, scene.change(web, actor));
  };
}

/** Changes the image of a workload. */
const image = (version: number) => ({
  spec: { template: { spec: podSpec({ containers: [container(version)] }) } },
});
const container = (version: number) => ({ name: 'main', image: `example.com/web:${version}` });

const job = (more: object = {}, pod: object = {}) => ({
  spec: { template: { spec: podSpec({ restartPolicy: 'Never', ...pod }) }, ...more },
});

/** The pod of a Job ends, as its kubelet reports. */
async function finish(scene: Scene, pod: Doomed, phase: 'Succeeded' | 'Failed'): Promise<void> {
  const exitCode = phase === 'Succeeded' ? 0 : 1;
  const terminated = { exitCode, finishedAt: '2026-01-01T00:00:00Z' };
  const containerStatuses = [
    {
      name: 'main',
      image: 'example.com/web:1',
      imageID: '',
      restartCount: 0,
      ready: false,
      state: { terminated },
    },
  ];
  const status = { phase, containerStatuses };
  await scene.send('system:node:worker-1', 'PATCH', `${pod.path}/status`, { status });
}

async function isFinished(scene: Scene, text: string): Promise<void> {
  await eventually(`the end of ${text}`, async () => {
    const found = await scene.plane.find<{ status: { conditions?: { type: string }[] } }>(
      scene.pathOf(text),
    );
    return found?.status.conditions?.some(({ type }) => type === 'Complete' || type === 'Failed');
  });
}

/** The pod of a DaemonSet that selects this Node. */
async function agentOn(scene: Scene, node: string): Promise<Doomed> {
  const disk = scene.namespace;
  await scene.send('admin', 'PATCH', `Node ${node}`, { metadata: { labels: { disk } } });
  const tolerations = [{ operator: 'Exists' }];
  const { spec } = workload(0, {}, { nodeSelector: { disk }, tolerations });
  await scene.make('DaemonSet agent', { spec: { ...spec, replicas: undefined } });
  return scene.only('Pod');
}

export const workloadScenarios: Readonly<Record<string, Scenario>> = {
  'scaled-by-kubectl': (scene) =>
    scaledDown(scene, 'alice', () => scene.kubectl('alice', 'scale deployment web --replicas=1')),
  'scaled-by-patch': (scene) =>
    scaledDown(scene, 'bob', (web) =>
      scene.send('bob', 'PATCH', web.path, { spec: { replicas: 1 } }),
    ),
  'scaled-by-autoscaler': (scene) =>
    scaledDown(scene, 'autoscaler', (web) =>
      scene.send('autoscaler', 'PATCH', `${web.path}/scale`, { spec: { replicas: 1 } }),
    ),
  'scaled-replicaset': async (scene) => {
    await scene.make('ReplicaSet web', workload(2));
    const pods = await scene.all('Pod', 2);
    const set = await scene.doomed('ReplicaSet web');
    return async () => {
      await scene.kubectl('alice', 'scale replicaset web --replicas=1');
      const pod = await lostOf(scene, pods);
      const deleted = scene.byController(pod, 'replicaset-controller');
      scene.truth('pod', pod, deleted, scene.change(set, 'alice'));
    };
  },
  'scaled-replication-controller': async (scene) => {
    const spec = { replicas: 1, selector: labels, template: podTemplate() };
    await scene.make('ReplicationController web', { spec });
    const pod = await scene.only('Pod');
    const set = await scene.doomed('ReplicationController web');
    return async () => {
      await scene.kubectl('bob', 'scale rc web --replicas=0');
      await scene.gone(pod);
      const deleted = scene.byController(pod, 'replication-controller');
      scene.truth('pod', pod, deleted, scene.change(set, 'bob'));
    };
  },
  'scaled-then-deleted-by-user': async (scene) => {
    const { web, set, pods } = await deployment(scene, 2);
    return async () => {
      const [mine] = pods;
      if (!mine) return;
      // The pod that a person deletes is replaced: the scale-down takes another one.
      await scene.kubectl('alice', `delete pod ${mine.name}`);
      const rest = await scene.all('Pod', 2);
      await scene.kubectl('bob', 'scale deployment web --replicas=0');
      await scene.gone(...rest);
      scene.truth('deleted', mine, scene.request(mine, 'alice'));
      const between = scene.optional(scene.byController(set, 'deployment-controller'));
      for (const pod of rest) {
        const deleted = scene.byController(pod, 'replicaset-controller');
        const isOld = pods.some(({ uid }) => uid === pod.uid);
        scene.truth(
          isOld ? 'scaled' : 'replacement',
          pod,
          deleted,
          between,
          scene.change(web, 'bob'),
        );
      }
    };
  },
  'rolling-update': async (scene) => {
    const strategy = { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '100%' } };
    const { web, set, pods } = await deployment(scene, 2, { strategy });
    return async () => {
      await scene.kubectl('alice', 'set image deployment web main=example.com/web:2');
      await scene.gone(...pods);
      const between = scene.optional(scene.byController(set, 'deployment-controller'));
      for (const [at, pod] of pods.entries()) {
        const deleted = scene.byController(pod, 'replicaset-controller');
        scene.truth(`pod-${at}`, pod, deleted, between, scene.change(web, 'alice'));
      }
    };
  },
  'recreate-update': async (scene) => {
    const { web, set, pods } = await deployment(scene, 1, { strategy: { type: 'Recreate' } });
    return async () => {
      await scene.send('deployer', 'PATCH', web.path, image(2));
      await scene.gone(...pods);
      const [pod] = pods;
      if (!pod) return;
      const between = scene.optional(scene.byController(set, 'deployment-controller'));
      const deleted = scene.byController(pod, 'replicaset-controller');
      scene.truth('pod', pod, deleted, between, scene.change(web, 'deployer'));
    };
  },
  'revision-history': async (scene) => {
    const { web, set } = await deployment(scene, 0, { revisionHistoryLimit: 1 });
    return async () => {
      for (const version of [2, 3]) {
        await scene.send('alice', 'PATCH', web.path, image(version));
        if (version === 2) await scene.all('ReplicaSet', 2);
      }
      await scene.gone(set);
      const changed = scene.optional(scene.change(web, 'alice'));
      scene.truth(
        'replicaset',
        set,
        scene.byController(set, 'deployment-controller', 'RSH-5'),
        changed,
      );
    };
  },
  'statefulset-scaled': async (scene) => {
    const template = {
      metadata: { name: 'data' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    };
    await scene.make(
      'StatefulSet db',
      workload(2, {
        serviceName: 'db',
        podManagementPolicy: 'Parallel',
        persistentVolumeClaimRetentionPolicy: { whenScaled: 'Delete', whenDeleted: 'Delete' },
        volumeClaimTemplates: [template],
      }),
    );
    const pods = await scene.all('Pod', 2);
    const set = await scene.doomed('StatefulSet db');
    const pod = pods.find(({ name }) => name === 'db-1');
    const scaled = await scene.doomed('PersistentVolumeClaim data-db-1');
    const deleted = await scene.doomed('PersistentVolumeClaim data-db-0');
    return async () => {
      await scene.kubectl('alice', 'scale statefulset db --replicas=1');
      await scene.gone(scaled);
      await scene.kubectl('bob', 'delete statefulset db');
      await scene.gone(set, deleted, ...pods);
      if (!pod) return;
      const controlled = scene.byController(pod, 'statefulset-controller');
      const changed = scene.change(set, 'alice');
      scene.truth('pod', pod, controlled, changed);
      scene.truth('scaled-claim', scaled, scene.owner(scaled), controlled, changed);
      scene.truth('deleted-claim', deleted, scene.owner(deleted), scene.request(set, 'bob'));
    };
  },
  'statefulset-updated': async (scene) => {
    await scene.make(
      'StatefulSet db',
      workload(1, { serviceName: 'db', podManagementPolicy: 'Parallel' }),
    );
    const pod = await scene.only('Pod');
    const set = await scene.doomed('StatefulSet db');
    return async () => {
      await scene.send('alice', 'PATCH', set.path, image(2));
      await scene.gone(pod);
      const deleted = scene.byController(pod, 'statefulset-controller');
      const extras = { recreatedBy: 'statefulset-controller' };
      scene.truths('pod', pod, [[deleted, scene.change(set, 'alice')]], extras);
    };
  },
  'statefulset-pod-deleted-by-user': async (scene) => {
    await scene.make('StatefulSet db', workload(1, { serviceName: 'db' }));
    const pod = await scene.only('Pod');
    return async () => {
      await scene.kubectl('alice', 'delete pod db-0');
      await scene.gone(pod);
      await scene.only('Pod');
      const extras = { recreatedBy: 'statefulset-controller' };
      scene.truths('pod', pod, [[scene.request(pod, 'alice')]], extras);
    };
  },
  'statefulset-failed-pod': async (scene) => {
    await scene.make('StatefulSet db', workload(1, { serviceName: 'db' }));
    const pod = await scene.only('Pod');
    return async () => {
      await scene.send('system:node:worker-1', 'PATCH', `${pod.path}/status`, {
        status: { phase: 'Failed' },
      });
      await scene.gone(pod);
      const extras = { recreatedBy: 'statefulset-controller' };
      scene.truths('pod', pod, [[scene.byController(pod, 'statefulset-controller')]], extras);
    };
  },
  'revisions-of-statefulset': async (scene) => {
    const more = { serviceName: 'db', revisionHistoryLimit: 0 };
    await scene.make('StatefulSet db', workload(0, more));
    const revision = await scene.only('ControllerRevision');
    const set = await scene.doomed('StatefulSet db');
    return async () => {
      await scene.send('alice', 'PATCH', set.path, image(2));
      await scene.gone(revision);
      const deleted = scene.byController(revision, 'statefulset-controller', 'CRH-1');
      scene.truth('revision', revision, deleted, scene.optional(scene.change(set, 'alice')));
    };
  },
  'daemonset-selector': async (scene) => {
    const pod = await agentOn(scene, 'worker-1');
    const set = await scene.doomed('DaemonSet agent');
    return async () => {
      const spec = { template: { spec: { nodeSelector: { disk: 'none' } } } };
      await scene.send('alice', 'PATCH', set.path, { spec });
      await scene.gone(pod);
      const deleted = scene.byController(pod, 'daemon-set-controller');
      scene.truth('pod', pod, deleted, scene.change(set, 'alice'));
    };
  },
  'daemonset-node-label': async (scene) => {
    const node = 'worker-4';
    const pod = await agentOn(scene, node);
    const target = { apiVersion: 'v1', kind: 'Node', name: node };
    const binding = { apiVersion: 'v1', kind: 'Binding', metadata: { name: pod.name }, target };
    await scene.send('admin', 'POST', `${pod.path}/binding`, binding);
    return async () => {
      await scene.kubectl('bob', `label node ${node} disk-`);
      await ending(scene, pod.path);
      await scene.endOnNode(pod, `system:node:${node}`);
      const deleted = scene.byController(pod, 'daemon-set-controller');
      const chain = [deleted, scene.change(`Node ${node}`, 'bob')];
      scene.truths('pod', pod, [chain], { endedBy: `system:node:${node}` });
    };
  },
  'job-time-to-live': async (scene) => {
    await scene.make('Job report', job({ ttlSecondsAfterFinished: 600 }));
    const made = await scene.doomed('Job report');
    const pod = await scene.only('Pod');
    await finish(scene, pod, 'Succeeded');
    await isFinished(scene, 'Job report');
    return async () => {
      await scene.send('admin', 'PATCH', made.path, { spec: { ttlSecondsAfterFinished: 1 } });
      await scene.gone(made, pod);
      const expired = scene.byController(made, 'ttl-after-finished-controller', 'TTL-4');
      const changed = scene.optional(scene.change(made, 'admin'));
      scene.truth('job', made, expired, changed);
      scene.truth('pod', pod, scene.owner(pod), expired, changed);
    };
  },
  'job-time-to-live-set-before': async (scene) => {
    await scene.make('Job report', job({ ttlSecondsAfterFinished: 1 }));
    const made = await scene.doomed('Job report');
    const pod = await scene.only('Pod');
    return async () => {
      await finish(scene, pod, 'Succeeded');
      await scene.gone(made, pod);
      const expired = scene.byController(made, 'ttl-after-finished-controller', 'TTL-4');
      scene.truth('job', made, expired);
      scene.truth('pod', pod, scene.owner(pod), expired);
    };
  },
  'job-deleted-by-user': async (scene) => {
    await scene.make('Job report', job());
    const made = await scene.doomed('Job report');
    const pod = await scene.only('Pod');
    return async () => {
      await scene.kubectl('bob', 'delete job report');
      await scene.gone(made, pod);
      const endedBy = 'job-controller';
      const chain = [scene.owner(pod), scene.request(made, 'bob')];
      scene.truths('pod', pod, [chain], { endedBy });
    };
  },
  'job-deadline': async (scene) => {
    await scene.make('Job report', job({ suspend: true, activeDeadlineSeconds: 1 }));
    const made = await scene.doomed('Job report');
    return async () => {
      await scene.send('admin', 'PATCH', made.path, { spec: { suspend: false } });
      const pod = await eventually('its pod', async () => {
        const [name] = await scene.plane.names(scene.pathOf('Pod '));
        return name === undefined ? undefined : await scene.doomed(`Pod ${name}`);
      });
      await scene.gone(pod);
      const deleted = scene.byController(pod, 'job-controller');
      scene.truth('pod', pod, deleted, scene.optional(scene.change(made, 'admin')));
    };
  },
  'job-suspended': async (scene) => {
    await scene.make('Job report', job());
    const made = await scene.doomed('Job report');
    const pod = await scene.only('Pod');
    return async () => {
      await scene.send('alice', 'PATCH', made.path, { spec: { suspend: true } });
      await scene.gone(pod);
      const deleted = scene.byController(pod, 'job-controller');
      scene.truth('pod', pod, deleted, scene.change(made, 'alice'));
    };
  },
  'job-parallelism': async (scene) => {
    await scene.make('Job report', job({ parallelism: 2 }));
    const made = await scene.doomed('Job report');
    const pods = await scene.all('Pod', 2);
    return async () => {
      await scene.send('bob', 'PATCH', made.path, { spec: { parallelism: 1 } });
      const pod = await lostOf(scene, pods);
      const deleted = scene.byController(pod, 'job-controller');
      scene.truth('pod', pod, deleted, scene.change(made, 'bob'));
    };
  },
  'job-backoff-limit': async (scene) => {
    await scene.make('Job report', job({ parallelism: 2, completions: 2, backoffLimit: 0 }));
    const [failing, other] = await scene.all('Pod', 2);
    return async () => {
      if (!failing || !other) return;
      await finish(scene, failing, 'Failed');
      await scene.gone(other);
      scene.truth('pod', other, scene.byController(other, 'job-controller'));
    };
  },
  'cronjob-history': async (scene) => {
    await scene.make('CronJob nightly', {
      spec: {
        schedule: '0 0 1 1 *',
        successfulJobsHistoryLimit: 1,
        jobTemplate: job(),
      },
    });
    return async () => {
      const made: Doomed[] = [];
      const pods: Doomed[] = [];
      for (const name of ['first', 'second']) {
        await scene.kubectl('alice', `create job ${name} --from=cronjob/nightly`);
        made.push(await scene.doomed(`Job ${name}`));
        const pod = await scene.only('Pod', (one) => one.metadata.name.startsWith(`${name}-`));
        pods.push(pod);
        await finish(scene, pod, 'Succeeded');
        // The older one is deleted, by whole seconds.
        if (name === 'first') await isFinished(scene, `Job ${name}`);
        await new Promise((resolve) => setTimeout(resolve, 1_100));
      }
      const [oldest] = made;
      const [pod] = pods;
      if (!oldest || !pod) return;
      await scene.gone(oldest, pod);
      const deleted = scene.byController(oldest, 'cronjob-controller', 'CJ-4');
      scene.truth('job', oldest, deleted);
      scene.truth('pod', pod, scene.owner(pod), deleted);
    };
  },
};

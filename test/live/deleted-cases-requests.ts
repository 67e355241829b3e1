import { gc } from '../support/run-gc.ts';
import { helmRelease } from './deleted-helm.ts';
import {
  ending,
  labels,
  podSpec,
  reference,
  running,
  type Scenario,
  type Scene,
  workload,
} from './deleted-scene.ts';

/** A Deployment with one ReplicaSet and two pods. */
async function deployment(scene: Scene, replicas = 2) {
  await scene.make('Deployment web', workload(replicas));
  const set = await scene.only('ReplicaSet');
  return { web: await scene.doomed('Deployment web'), set, pods: await scene.all('Pod', replicas) };
}

/** Somebody deletes the Deployment, and everything below it is deleted. */
async function cascade(scene: Scene, line: string, actor: 'alice' | 'carol' | 'dana', as?: string) {
  const { web, set, pods } = await deployment(scene);
  const first = scene.request(web, actor, as);
  return async () => {
    await scene.kubectl(actor, line);
    await scene.gone(web, set, ...pods);
    scene.truth('deployment', web, first);
    scene.truth('replicaset', set, scene.owner(set), first);
    const [pod] = pods;
    if (pod) scene.truth('pod', pod, scene.owner(pod), scene.owner(set), first);
  };
}

/** ConfigMaps a and b, deleted by what `play` does. */
const configMaps = async (scene: Scene, names: readonly string[], app = 'web') => {
  for (const name of names) {
    await scene.make(`ConfigMap ${name}`, { metadata: { labels: { app } }, data: { size: '1' } });
  }
  return Promise.all(names.map((name) => scene.doomed(`ConfigMap ${name}`)));
};

export const requestScenarios: Readonly<Record<string, Scenario>> = {
  'user-background': (scene) => cascade(scene, 'delete deployment web', 'alice'),
  'user-foreground': (scene) =>
    cascade(scene, 'delete deployment web --cascade=foreground', 'alice'),
  'user-impersonates': (scene) =>
    cascade(scene, 'delete deployment web --as=erin --as-group=staff', 'dana', 'erin'),
  'user-certificate': (scene) => cascade(scene, 'delete deployment web', 'carol'),

  'orphan-then-user': async (scene) => {
    const { web, set, pods } = await deployment(scene);
    const [pod] = pods;
    return async () => {
      await scene.kubectl('alice', 'delete deployment web --cascade=orphan');
      await scene.kubectl('bob', `delete replicaset ${set.name}`);
      await scene.gone(web, set, ...pods);
      scene.truth('deployment', web, scene.request(web, 'alice'));
      scene.truth('replicaset', set, scene.request(set, 'bob'));
      if (pod) scene.truth('pod', pod, scene.owner(pod), scene.request(set, 'bob'));
    };
  },
  'orphan-replicaset': async (scene) => {
    const { web, set, pods } = await deployment(scene, 1);
    const [pod] = pods;
    return async () => {
      await scene.kubectl('alice', 'delete deployment web --cascade=orphan');
      await scene.kubectl('alice', `delete replicaset ${set.name} --cascade=orphan`);
      await scene.kubectl('bob', `delete pod ${pod?.name}`);
      await scene.gone(web, set, ...pods);
      if (pod) scene.truth('pod', pod, scene.request(pod, 'bob'));
    };
  },
  'service-account': async (scene) => {
    const [one] = await configMaps(scene, ['settings']);
    return async () => {
      await scene.kubectl('deployer', 'delete configmap settings');
      if (one) scene.truth('configmap', one, scene.request(one, 'deployer'));
    };
  },
  'two-collections': async (scene) => {
    const [mine] = await configMaps(scene, ['of-web'], 'web');
    const [theirs] = await configMaps(scene, ['of-shop'], 'shop');
    const [left] = await configMaps(scene, ['of-blog'], 'blog');
    const collection = (app: string) => `${scene.pathOf('ConfigMap ')}?labelSelector=app%3D${app}`;
    return async () => {
      await scene.send('alice', 'DELETE', collection('web'));
      await scene.send('bob', 'DELETE', collection('shop'));
      await scene.kubectl('deployer', 'delete configmap of-blog');
      if (mine) scene.truth('of-web', mine, scene.request(mine, 'alice'));
      if (theirs) scene.truth('of-shop', theirs, scene.request(theirs, 'bob'));
      if (left) scene.truth('of-blog', left, scene.request(left, 'deployer'));
    };
  },
  'collection-by-field': async (scene) => {
    const [one, other] = await configMaps(scene, ['first', 'second']);
    const path = scene.pathOf('ConfigMap ');
    return async () => {
      await scene.send('alice', 'DELETE', `${path}?fieldSelector=metadata.name%3Dfirst`);
      await scene.send('bob', 'DELETE', `${path}?fieldSelector=metadata.name!%3Dkube-root-ca.crt`);
      if (one) scene.truth('first', one, scene.request(one, 'alice'));
      if (other) scene.truth('second', other, scene.request(other, 'bob'));
    };
  },
  'kubectl-selector': async (scene) => {
    const [one] = await configMaps(scene, ['one', 'two']);
    return async () => {
      await scene.kubectl('bob', 'delete configmap -l app=web');
      if (one) scene.truth('configmap', one, scene.request(one, 'bob'));
    };
  },
  'dry-run-first': async (scene) => {
    const [one] = await configMaps(scene, ['settings']);
    return async () => {
      await scene.kubectl('bob', 'delete configmap settings --dry-run=server');
      const options = { dryRun: ['All'] };
      await scene.send('deployer', 'DELETE', 'ConfigMap settings', options);
      await scene.kubectl('alice', 'delete configmap settings');
      if (one) scene.truth('configmap', one, scene.request(one, 'alice'));
    };
  },
  'refused-first': async (scene) => {
    const [one] = await configMaps(scene, ['settings']);
    return async () => {
      await scene.tryKubectl('mallory', 'delete configmap settings');
      const wrong = { preconditions: { uid: '00000000-0000-4000-8000-000000000000' } };
      await scene.send('bob', 'DELETE', 'ConfigMap settings', wrong).catch(() => undefined);
      await scene.kubectl('alice', 'delete configmap settings');
      await scene.send('bob', 'DELETE', 'ConfigMap settings').catch(() => undefined);
      if (one) scene.truth('configmap', one, scene.request(one, 'alice'));
    };
  },
  'two-users-one-finalizer': async (scene) => {
    const metadata = { finalizers: ['example.com/backup'] };
    await scene.make('Widget store', { metadata });
    const one = await scene.doomed('Widget store');
    return async () => {
      await scene.kubectl('alice', 'delete widgets.example.com store --wait=false');
      await scene.kubectl('bob', 'delete widgets.example.com store --wait=false');
      await scene.send('operator', 'PATCH', 'Widget store', { metadata: { finalizers: null } });
      await scene.gone(one);
      const endedBy = 'system:serviceaccount:ops:database-operator';
      scene.truths('widget', one, [[scene.request(one, 'alice')]], { endedBy });
    };
  },
  'recreated-twice': async (scene) => {
    const [first] = await configMaps(scene, ['settings']);
    return async () => {
      await scene.kubectl('alice', 'delete configmap settings');
      await scene.send('bob', 'POST', 'ConfigMap ', { metadata: { name: 'settings' } });
      const second = await scene.doomed('ConfigMap settings');
      await scene.kubectl('bob', 'delete configmap settings');
      await scene.send('alice', 'POST', 'ConfigMap ', { metadata: { name: 'settings' } });
      const third = await scene.doomed('ConfigMap settings');
      await scene.kubectl('deployer', 'delete configmap settings');
      // The uid tells which of them is meant.
      if (first)
        scene.truths('first', first, [[scene.request(first, 'alice')]], { recreatedBy: 'bob' });
      const of = { earlier: 1, recreatedBy: 'alice' };
      scene.truths('second', second, [[scene.request(second, 'bob')]], of);
      scene.truths('third', third, [[scene.request(third, 'deployer')]], { earlier: 2 });
    };
  },
  'recreated-by-controller': async (scene) => {
    const one = await scene.doomed('ConfigMap kube-root-ca.crt');
    return async () => {
      await scene.kubectl('alice', 'delete configmap kube-root-ca.crt');
      await scene.doomed('ConfigMap kube-root-ca.crt');
      const extras = { recreatedBy: 'root-ca-cert-publisher' };
      scene.truths('configmap', one, [[scene.request(one, 'alice')]], extras);
    };
  },
  'replace-force': async (scene) => {
    const [one] = await configMaps(scene, ['settings']);
    const again = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' } };
    return async () => {
      await scene.kubectl('alice', 'replace --force -f -', JSON.stringify(again));
      const extras = { recreatedBy: 'alice' };
      if (one) scene.truths('configmap', one, [[scene.request(one, 'alice')]], extras);
    };
  },
  'apply-prune': async (scene) => {
    const object = (name: string) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, labels },
    });
    const file = (...names: readonly string[]) =>
      JSON.stringify({ apiVersion: 'v1', kind: 'List', items: names.map(object) });
    await scene.kubectl('deployer', 'apply -f -', file('one', 'two'));
    const one = await scene.doomed('ConfigMap one');
    return async () => {
      const line = 'apply -f - --prune -l app=web --prune-allowlist=core/v1/ConfigMap';
      await scene.kubectl('deployer', line, file('two'));
      await scene.gone(one);
      scene.truth('configmap', one, scene.request(one, 'deployer'));
    };
  },
  'own-delete': async (scene) => {
    const { web, set } = await deployment(scene, 1);
    return async () => {
      const env = { KUBECONFIG: scene.stage.kubeconfig('bob') };
      const line = `delete deployment/web -n ${scene.namespace} --yes --no-backup`;
      const run = await gc(line, { env });
      if (run.code !== 0) throw new Error(run.stderr);
      await scene.gone(web, set);
      scene.truth('deployment', web, scene.request(web, 'bob'));
      scene.truth('replicaset', set, scene.owner(set), scene.request(web, 'bob'));
    };
  },
  'forced-pod': async (scene) => {
    await scene.make('Pod web', { spec: podSpec({ nodeName: 'worker-1' }) });
    const pod = await scene.doomed('Pod web');
    return async () => {
      await scene.kubectl('alice', 'delete pod web --wait=false');
      await scene.kubectl('bob', 'delete pod web --force --grace-period=0');
      await scene.gone(pod);
      scene.truths('pod', pod, [[scene.request(pod, 'alice')]], { endedBy: 'bob' });
    };
  },
  'pod-with-kubelet': async (scene) => {
    await scene.make('Pod web', { spec: podSpec({ nodeName: 'worker-1' }) });
    const pod = await scene.doomed('Pod web');
    return async () => {
      await scene.kubectl('alice', 'delete pod web --wait=false');
      await scene.endOnNode(pod, 'system:node:worker-1');
      const extras = { endedBy: 'system:node:worker-1' };
      scene.truths('pod', pod, [[scene.request(pod, 'alice')]], extras);
    };
  },
  'evicted-by-drain': async (scene) => {
    const node = 'worker-2';
    await scene.make('ReplicaSet web', workload(1, {}, { nodeName: node }));
    const pod = await scene.only('Pod');
    await running(scene, pod.path, node);
    return async () => {
      const drained = scene.kubectl('drainer', `drain ${node} --timeout=60s`);
      await ending(scene, pod.path);
      await scene.send('admin', 'PATCH', 'ReplicaSet web', { spec: { replicas: 0 } });
      await scene.endOnNode(pod, `system:node:${node}`);
      await drained;
      const extras = { endedBy: `system:node:${node}` };
      scene.truths('pod', pod, [[scene.request(pod, 'drainer')]], extras);
    };
  },
  'eviction-refused-first': async (scene) => {
    await scene.make('Pod web', { metadata: { labels }, spec: podSpec({ nodeName: 'worker-1' }) });
    const spec = { minAvailable: 1, selector: { matchLabels: labels } };
    await scene.make('PodDisruptionBudget web', { spec });
    const pod = await scene.doomed('Pod web');
    await running(scene, pod.path, 'worker-1');
    await scene.plane.patch(`${pod.path}`, { metadata: { annotations: { settled: 'true' } } });
    const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'web' } };
    return async () => {
      const refused = await scene.stage.send('drainer', 'POST', `${pod.path}/eviction`, body);
      if (refused.status !== 429) throw new Error(`not refused: ${refused.body}`);
      await scene.send('bob', 'DELETE', pod.path, { gracePeriodSeconds: 0 });
      await scene.gone(pod);
      scene.truth('pod', pod, scene.request(pod, 'bob'));
    };
  },
  'operator-deletes-children': async (scene) => {
    await scene.make('Widget store', { metadata: { finalizers: ['example.com/clean-up'] } });
    await scene.make('Secret store-password', { stringData: { password: 'hush' } });
    const widget = await scene.doomed('Widget store');
    const secret = await scene.doomed('Secret store-password');
    return async () => {
      await scene.kubectl('alice', 'delete widgets.example.com store --wait=false');
      await scene.send('operator', 'DELETE', 'Secret store-password');
      await scene.send('operator', 'PATCH', 'Widget store', { metadata: { finalizers: [] } });
      await scene.gone(widget, secret);
      const endedBy = 'system:serviceaccount:ops:database-operator';
      scene.truths('widget', widget, [[scene.request(widget, 'alice')]], { endedBy });
      const asked = scene.optional(scene.request(widget, 'alice'));
      scene.truth('secret', secret, scene.request(secret, 'operator'), asked);
    };
  },
  'helm-uninstall': async (scene) => {
    const { settings, release, uninstall } = await helmRelease(scene, 'deployer', 'web');
    return async () => {
      await uninstall();
      await scene.gone(settings, release);
      scene.truth('configmap', settings, scene.request(settings, 'deployer'));
      scene.truth('release', release, scene.request(release, 'deployer'));
    };
  },
  'argo-prunes': async (scene) => {
    const [one] = await configMaps(scene, ['settings']);
    return async () => {
      const options = { propagationPolicy: 'Foreground' };
      await scene.send('argo', 'DELETE', 'ConfigMap settings', options);
      if (one) {
        await scene.gone(one);
        scene.truth('configmap', one, scene.request(one, 'argo'));
      }
    };
  },
  'custom-resource-owns': async (scene) => {
    await scene.make('Widget store');
    const widget = await scene.doomed('Widget store');
    const ownerReferences = [reference('Widget', widget, { controller: true })];
    await scene.make('Secret store', { metadata: { ownerReferences } });
    await scene.make('ConfigMap store', { metadata: { ownerReferences } });
    const owned = [await scene.doomed('Secret store'), await scene.doomed('ConfigMap store')];
    return async () => {
      await scene.kubectl('alice', 'delete widgets.example.com store');
      await scene.gone(widget, ...owned);
      for (const one of owned) {
        const what = one.kind.toLowerCase();
        scene.truth(what, one, scene.owner(one), scene.request(widget, 'alice'));
      }
    };
  },
};

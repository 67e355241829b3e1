import { customDefinition } from '../support/custom-resources.ts';
import { eventually, untilGone } from '../support/eventually.ts';
import {
  type Doomed,
  podSpec,
  reference,
  type Scenario,
  type Scene,
  workload,
} from './deleted-scene.ts';

const unlogged = '00000000-0000-4000-8000-000000000001';
const nobody = '00000000-0000-4000-8000-00000000dead';
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

const group = 'deleted.example.com';

/** Kinds whose definitions are deleted. They exist before the controllers start: the collector looks for new kinds every 30 s. */
export const ownDefinitions = [
  customDefinition('Ledger', group),
  customDefinition('Vault', group, { scope: 'Cluster' }),
];

/** One object of such a kind. */
async function ownKind(scene: Scene, kind: 'Ledger' | 'Vault') {
  const plural = `${kind.toLowerCase()}s`;
  const definition = `${plural}.${group}`;
  const home = kind === 'Vault' ? '' : scene.namespace;
  const folder = `/apis/${group}/v1${home === '' ? '' : `/namespaces/${home}`}/${plural}`;
  const made = await scene.plane.create<{ metadata: { uid: string } }>(folder, {
    apiVersion: `${group}/v1`,
    kind,
    metadata: { name: 'one' },
  });
  const instance: Doomed = {
    kind,
    namespace: home,
    name: 'one',
    group,
    resource: plural,
    path: `${folder}/one`,
    uid: made.metadata.uid,
  };
  const { metadata } = await scene.plane.get<{ metadata: { uid: string } }>(
    `${definitions}/${definition}`,
  );
  const crd: Doomed = {
    kind: 'CustomResourceDefinition',
    namespace: '',
    name: definition,
    group: 'apiextensions.k8s.io',
    resource: 'customresourcedefinitions',
    path: `${definitions}/${definition}`,
    uid: metadata.uid,
  };
  const ownerReference = { apiVersion: `${group}/v1`, kind, name: 'one', uid: instance.uid };
  return { crd, instance, ownerReference };
}

async function ownedBy(scene: Scene, name: string, ownerReferences: readonly object[]) {
  await scene.make(`ConfigMap ${name}`, { metadata: { ownerReferences } });
  return scene.doomed(`ConfigMap ${name}`);
}

export const ownerScenarios: Readonly<Record<string, Scenario>> = {
  'definition-deleted': async (scene) => {
    const { crd, instance, ownerReference } = await ownKind(scene, 'Ledger');
    const owned = await ownedBy(scene, 'owned', [ownerReference]);
    return async () => {
      await scene.kubectl('alice', `delete crd ${crd.name}`);
      await untilGone(scene.plane, crd.path);
      await scene.gone(owned);
      const first = scene.request(crd, 'alice');
      scene.truth('definition', crd, first);
      scene.truth('instance', instance, scene.byDefinition(instance), first);
      scene.truth('owned', owned, scene.owner(owned), scene.byDefinition(instance), first);
    };
  },
  'definition-of-cluster-kind': async (scene) => {
    const { crd, instance } = await ownKind(scene, 'Vault');
    return async () => {
      await scene.kubectl('deployer', `delete crd ${crd.name}`);
      await untilGone(scene.plane, crd.path);
      const first = scene.request(crd, 'deployer');
      scene.truth('instance', instance, scene.byDefinition(instance), first);
    };
  },
  'two-owners': async (scene) => {
    for (const name of ['left', 'right']) await scene.make(`Widget ${name}`);
    const left = await scene.doomed('Widget left');
    const right = await scene.doomed('Widget right');
    const both = [reference('Widget', left), reference('Widget', right)];
    const owned = await ownedBy(scene, 'owned', both);
    return async () => {
      await scene.kubectl('alice', 'delete widgets.example.com left');
      await eventually('one reference', async () => {
        const found = await scene.plane.get<{ metadata: { ownerReferences: object[] } }>(
          owned.path,
        );
        return found.metadata.ownerReferences.length === 1;
      });
      await scene.kubectl('bob', 'delete widgets.example.com right');
      await scene.gone(owned);
      scene.truth('owned', owned, scene.owner(owned), scene.request(right, 'bob'));
    };
  },
  'second-owner-added-later': async (scene) => {
    for (const name of ['left', 'right']) await scene.make(`Widget ${name}`);
    const left = await scene.doomed('Widget left');
    const right = await scene.doomed('Widget right');
    const owned = await ownedBy(scene, 'owned', [reference('Widget', left)]);
    return async () => {
      const ownerReferences = [reference('Widget', right)];
      await scene.send('operator', 'PATCH', owned.path, { metadata: { ownerReferences } });
      await scene.kubectl('alice', 'delete widgets.example.com left');
      // So long does the garbage collector never wait: it shows that the first owner was not the last.
      await new Promise((resolve) => setTimeout(resolve, 3_000));
      await scene.kubectl('bob', 'delete widgets.example.com right');
      await scene.gone(owned);
      scene.truth('owned', owned, scene.owner(owned), scene.request(right, 'bob'));
    };
  },
  'owner-of-owner': async (scene) => {
    await scene.make('Widget top');
    const top = await scene.doomed('Widget top');
    const middle = await ownedBy(scene, 'middle', [reference('Widget', top)]);
    const bottom = await ownedBy(scene, 'bottom', [reference('ConfigMap', middle)]);
    return async () => {
      await scene.kubectl('alice', 'delete widgets.example.com top --cascade=foreground');
      await scene.gone(top, middle, bottom);
      const first = scene.request(top, 'alice');
      scene.truth('middle', middle, scene.owner(middle), first);
      scene.truth('bottom', bottom, scene.owner(bottom), scene.owner(middle), first);
    };
  },
  'owner-with-finalizer': async (scene) => {
    await scene.make('Widget store', { metadata: { finalizers: ['example.com/clean-up'] } });
    const store = await scene.doomed('Widget store');
    const owned = await ownedBy(scene, 'owned', [reference('Widget', store)]);
    return async () => {
      await scene.kubectl('alice', 'delete widgets.example.com store --wait=false');
      await scene.send('operator', 'PATCH', store.path, { metadata: { finalizers: [] } });
      await scene.gone(store, owned);
      scene.truth('owned', owned, scene.owner(owned), scene.request(store, 'alice'));
    };
  },
  'cluster-scoped-owner': async (scene) => {
    await scene.make('Gadget deleted-gadget');
    const gadget = await scene.doomed('Gadget deleted-gadget');
    const owned = await ownedBy(scene, 'owned', [reference('Gadget', gadget)]);
    return async () => {
      await scene.kubectl('deployer', 'delete gadgets.example.com deleted-gadget');
      await scene.gone(gadget, owned);
      scene.truth('owned', owned, scene.owner(owned), scene.request(gadget, 'deployer'));
    };
  },
  'owner-in-another-namespace': async (scene) => {
    const elsewhere = `${scene.namespace}-elsewhere`;
    await scene.make(`Namespace ${elsewhere}`);
    await scene.make(`Widget ${elsewhere}/owner`);
    const owner = await scene.doomed(`Widget ${elsewhere}/owner`);
    await scene.make('ConfigMap owned');
    const owned = await scene.doomed('ConfigMap owned');
    return async () => {
      const ownerReferences = [reference('Widget', owner)];
      await scene.send('bob', 'PATCH', owned.path, { metadata: { ownerReferences } });
      await scene.gone(owned);
      // No such owner was ever in its own namespace; bob's reference is why.
      const absent = scene.optional(scene.unknown('Widget owner'));
      const changed = scene.optional(scene.change(owned, 'bob'));
      scene.truth('owned', owned, scene.owner(owned), absent, changed);
    };
  },
  'owner-under-another-uid': async (scene) => {
    await scene.make('Widget owner');
    await scene.make('ConfigMap owned');
    const owned = await scene.doomed('ConfigMap owned');
    return async () => {
      const ownerReferences = [reference('Widget', { name: 'owner', uid: nobody })];
      await scene.send('carol', 'PATCH', owned.path, { metadata: { ownerReferences } });
      await scene.gone(owned);
      const absent = scene.optional(scene.unknown('Widget owner'));
      const changed = scene.optional(scene.change(owned, 'carol'));
      scene.truth('owned', owned, scene.owner(owned), absent, changed);
    };
  },
  'owner-before-the-log': async (scene) => {
    const owned = scene.locate('ConfigMap owned');
    const absent = scene.optional(scene.unknown('Widget lost'));
    return async () => {
      // Stored past the API server, as if its owner had been deleted before the log begins.
      const ownerReferences = [reference('Widget', { name: 'lost', uid: nobody })];
      const metadata = {
        name: 'owned',
        namespace: scene.namespace,
        uid: unlogged,
        ownerReferences,
      };
      await scene.plane.putObjects([{ apiVersion: 'v1', kind: 'ConfigMap', metadata }]);
      await untilGone(scene.plane, owned.path);
      scene.truth('owned', { ...owned, uid: unlogged }, scene.owner(owned), absent);
    };
  },
  'reference-removed-by-user': async (scene) => {
    await scene.make('Widget store');
    const store = await scene.doomed('Widget store');
    const owned = await ownedBy(scene, 'owned', [reference('Widget', store)]);
    return async () => {
      await scene.send('bob', 'PATCH', owned.path, { metadata: { ownerReferences: null } });
      await scene.kubectl('alice', 'delete widgets.example.com store');
      await scene.kubectl('deployer', 'delete configmap owned');
      scene.truth('owned', owned, scene.request(owned, 'deployer'));
    };
  },
  'owned-but-deleted-by-user': async (scene) => {
    await scene.make('Widget store');
    const store = await scene.doomed('Widget store');
    const owned = await ownedBy(scene, 'owned', [reference('Widget', store)]);
    return async () => {
      await scene.kubectl('bob', 'delete configmap owned');
      await scene.kubectl('alice', 'delete widgets.example.com store');
      scene.truth('owned', owned, scene.request(owned, 'bob'));
      scene.truth('owner', store, scene.request(store, 'alice'));
    };
  },
  'owner-recreated': async (scene) => {
    await scene.make('Widget store');
    const store = await scene.doomed('Widget store');
    const owned = await ownedBy(scene, 'owned', [reference('Widget', store)]);
    return async () => {
      await scene.kubectl('alice', 'delete widgets.example.com store');
      await scene.make('Widget store');
      const again = await scene.doomed('Widget store');
      await scene.gone(owned);
      await scene.kubectl('bob', 'delete widgets.example.com store');
      const first = scene.request(store, 'alice');
      scene.truths('owner', store, [[first]], { recreatedBy: 'admin' });
      scene.truths('second-owner', again, [[scene.request(again, 'bob')]], { earlier: 1 });
      scene.truth('owned', owned, scene.owner(owned), first);
    };
  },
  'service-slices': async (scene) => {
    const spec = { selector: { app: 'web' }, ports: [{ port: 80 }], clusterIP: 'None' };
    await scene.make('Service web', { spec });
    const service = await scene.doomed('Service web');
    const slice = await scene.only('EndpointSlice');
    const endpoints = await scene.doomed('Endpoints web');
    return async () => {
      await scene.kubectl('alice', 'delete service web');
      await scene.gone(service, slice, endpoints);
      const first = scene.request(service, 'alice');
      scene.truth('slice', slice, scene.owner(slice), first);
      // The API server deletes them after the Service, without a request, if the controller has not done it.
      scene.truths('endpoints', endpoints, [
        [scene.byController(endpoints, 'kube-apiserver'), first],
        [scene.byController(endpoints, 'endpoint-controller', 'OTH-3'), first],
      ]);
    };
  },
  'account-token': async (scene) => {
    await scene.make('ServiceAccount robot');
    const account = await scene.doomed('ServiceAccount robot');
    const annotations = { 'kubernetes.io/service-account.name': 'robot' };
    const type = 'kubernetes.io/service-account-token';
    await scene.make('Secret robot-token', { metadata: { annotations }, type });
    const secret = await scene.doomed('Secret robot-token');
    await eventually('the token', async () => {
      const { data } = await scene.plane.get<{ data?: { token?: string } }>(secret.path);
      return data?.token !== undefined;
    });
    return async () => {
      await scene.kubectl('alice', 'delete serviceaccount robot');
      await scene.gone(account, secret);
      const deleted = scene.byController(secret, 'tokens-controller', 'SAT-5');
      scene.truth('secret', secret, deleted, scene.request(account, 'alice'));
    };
  },
  'template-claim': async (scene) => {
    const requests = [{ name: 'gpu', exactly: { deviceClassName: 'gpu.example.com' } }];
    await scene.make('ResourceClaimTemplate gpu', { spec: { spec: { devices: { requests } } } });
    const resourceClaims = [{ name: 'gpu', resourceClaimTemplateName: 'gpu' }];
    await scene.make('Pod web', { spec: podSpec({ resourceClaims }) });
    const pod = await scene.doomed('Pod web');
    const claim = await scene.only('ResourceClaim');
    return async () => {
      await scene.kubectl('alice', 'delete pod web');
      await scene.gone(pod, claim);
      const first = scene.request(pod, 'alice');
      // Its own controller may be faster than the collector.
      scene.truths('claim', claim, [
        [scene.owner(claim), first],
        [scene.byController(claim, 'resource-claim-controller', 'DRA-2'), first],
      ]);
    };
  },
  'ephemeral-volume': async (scene) => {
    const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
    const volumes = [{ name: 'scratch', ephemeral: { volumeClaimTemplate: { spec } } }];
    await scene.make('Pod web', { spec: podSpec({ volumes }) });
    const pod = await scene.doomed('Pod web');
    const claim = await scene.only('PersistentVolumeClaim');
    return async () => {
      await scene.kubectl('bob', 'delete pod web');
      await scene.gone(pod, claim);
      scene.truth('claim', claim, scene.owner(claim), scene.request(pod, 'bob'));
    };
  },
  'namespace-deleted': async (scene) => {
    const home = `${scene.namespace}-home`;
    await scene.make(`Namespace ${home}`);
    const texts = ['ConfigMap', 'Secret', 'Service', 'Widget', 'PersistentVolumeClaim', 'Role'];
    const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
    const specs: Readonly<Record<string, { spec: object }>> = {
      Service: { spec: { ports: [{ port: 80 }] } },
      PersistentVolumeClaim: { spec: claim },
    };
    for (const kind of texts) await scene.make(`${kind} ${home}/kept`, specs[kind]);
    await scene.make(`Deployment ${home}/web`, workload(1));
    const objects = await Promise.all(texts.map((kind) => scene.doomed(`${kind} ${home}/kept`)));
    const web = await scene.doomed(`Deployment ${home}/web`);
    const itself = await scene.doomed(`Namespace ${home}`);
    const set = await eventually('its ReplicaSet', async () => {
      const [name] = await scene.plane.names(scene.pathOf(`ReplicaSet ${home}/`));
      return name === undefined ? undefined : scene.doomed(`ReplicaSet ${home}/${name}`);
    });
    return async () => {
      await scene.kubectl('alice', `delete namespace ${home} --wait=false`);
      await scene.gone(itself, ...objects);
      const first = scene.request(itself, 'alice');
      scene.truth('namespace', itself, first);
      for (const one of objects) {
        scene.truth(one.kind.toLowerCase(), one, scene.inNamespace(one), first);
      }
      scene.truth('deployment', web, scene.inNamespace(web), first);
      // The collector may be faster than the namespace controller.
      scene.truths('replicaset', set, [
        [scene.inNamespace(set), first],
        [scene.owner(set), scene.inNamespace(web), first],
      ]);
    };
  },
  'namespace-with-finalizer': async (scene) => {
    const home = `${scene.namespace}-home`;
    await scene.make(`Namespace ${home}`);
    const metadata = { finalizers: ['example.com/final-backup'] };
    await scene.make(`Widget ${home}/store`, { metadata });
    const itself = await scene.doomed(`Namespace ${home}`);
    const widget = await scene.doomed(`Widget ${home}/store`);
    return async () => {
      await scene.kubectl('bob', `delete namespace ${home} --wait=false`);
      await eventually('the deleted widget', async () => {
        const found = await scene.plane.find<{ metadata: { deletionTimestamp?: string } }>(
          widget.path,
        );
        return found?.metadata.deletionTimestamp !== undefined;
      });
      await scene.send('operator', 'PATCH', widget.path, { metadata: { finalizers: null } });
      await scene.gone(itself, widget);
      const endedBy = 'system:serviceaccount:ops:database-operator';
      const first = scene.request(itself, 'bob');
      scene.truths('widget', widget, [[scene.inNamespace(widget), first]], { endedBy });
      scene.truth('namespace', itself, first);
    };
  },
  'deleted-before-its-namespace': async (scene) => {
    const home = `${scene.namespace}-home`;
    await scene.make(`Namespace ${home}`);
    for (const name of ['early', 'late']) await scene.make(`ConfigMap ${home}/${name}`);
    const early = await scene.doomed(`ConfigMap ${home}/early`);
    const late = await scene.doomed(`ConfigMap ${home}/late`);
    const itself = await scene.doomed(`Namespace ${home}`);
    return async () => {
      await scene.send('bob', 'DELETE', early.path);
      await scene.kubectl('alice', `delete namespace ${home} --wait=false`);
      await scene.gone(itself);
      scene.truth('early', early, scene.request(early, 'bob'));
      scene.truth('late', late, scene.inNamespace(late), scene.request(itself, 'alice'));
    };
  },
  'namespace-recreated': async (scene) => {
    const home = `${scene.namespace}-home`;
    await scene.make(`Namespace ${home}`);
    await scene.make(`Secret ${home}/password`);
    const itself = await scene.doomed(`Namespace ${home}`);
    const first = await scene.doomed(`Secret ${home}/password`);
    return async () => {
      await scene.kubectl('alice', `delete namespace ${home}`);
      await scene.send('bob', 'POST', '/api/v1/namespaces', { metadata: { name: home } });
      await scene.make(`Secret ${home}/password`);
      const second = await scene.doomed(`Secret ${home}/password`);
      const again = await scene.doomed(`Namespace ${home}`);
      await scene.kubectl('bob', `delete namespace ${home}`);
      await scene.gone(again);
      const alice = scene.request(itself, 'alice');
      scene.truths('first', first, [[scene.inNamespace(first), alice]], { recreatedBy: 'admin' });
      const bob = scene.request(again, 'bob');
      scene.truths('second', second, [[scene.inNamespace(second), bob]], { earlier: 1 });
    };
  },
};

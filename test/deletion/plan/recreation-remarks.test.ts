import { describe, expect, test } from 'vitest';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import {
  builderOf,
  clusterRole,
  configMap,
  deployment,
  job,
  node,
  ownedBy,
  ownedByGone,
  pod,
  replicaSet,
  secret,
  widget,
} from '../../support/builders.ts';
import { planned } from './planned.ts';
import { by, fatesOf, namespace, told, unbound } from './told.ts';

const definition = builderOf('apiextensions.k8s.io/v1', 'CustomResourceDefinition');
const apiService = builderOf('apiregistration.k8s.io/v1', 'APIService');
const daemonSet = builderOf('apps/v1', 'DaemonSet');
const service = builderOf('v1', 'Service');
const slice = builderOf('discovery.k8s.io/v1', 'EndpointSlice');
const volumeClaim = builderOf('v1', 'PersistentVolumeClaim');

describe('content', () => {
  test('of a namespace is counted by kind', () => {
    const shop = namespace('shop');
    const content = [pod('a'), pod('b'), secret('s'), configMap('away', { namespace: 'bank' })];
    expect(told([shop, ...content], shop)).toEqual([
      'warning data: The data of Secret s goes: no controller is known that makes it again.',
      'warning namespace-content: Namespace shop is deleted with the 3 objects in it.',
    ]);
    expect(told([shop], shop)).toEqual([
      'warning namespace-content: Namespace shop is deleted, and nothing was seen in it.',
    ]);
  });

  test('of a definition are its instances, wherever they are', () => {
    const widgets = definition('widgets.example.com');
    const instances = [widget('a'), widget('b', { namespace: 'bank' })];
    expect(told([widgets, ...instances], widgets)).toEqual([
      'warning custom-resources: CustomResourceDefinition widgets.example.com is deleted with 2 Widget objects in 2 namespaces, and with what depends on them. Afterwards the kind is not served any more, to anybody.',
    ]);
    expect(told([widgets], widgets, {}, { unread: ['widgets.example.com'] })).toEqual([
      'warning custom-resources: CustomResourceDefinition widgets.example.com is deleted and its instances were not read. Afterwards the kind is not served any more, to anybody.',
    ]);
  });

  test('of an APIService leaves discovery, for a time that its label tells', () => {
    const label = 'kube-aggregator.kubernetes.io/automanaged';
    const apps = apiService('v1.apps', { labels: { [label]: 'onstart' } });
    const metrics = apiService('v1beta1.metrics.k8s.io');
    const custom = apiService('v1.example.com', { labels: { [label]: 'true' } });
    const own = definition('widgets.example.com');
    const objects = [apps, metrics, custom, own, deployment('web'), pod('a')];
    expect([apps, metrics, custom].flatMap((one) => told(objects, one))).toEqual([
      'warning unserved-api: APIService v1.apps is deleted: apps/v1 is not in discovery any more until an API server starts again. 1 object that was read of it (1 Deployment) stays, but kubectl and others that go by discovery do not find them, and the garbage collector collects nothing of it meanwhile.',
      'warning unserved-api: APIService v1beta1.metrics.k8s.io is deleted: metrics.k8s.io/v1beta1 is not in discovery any more until it is registered again. No object that was read is of it alone.',
      'note unserved-api: APIService v1.example.com is deleted, and an API server registers it again: example.com/v1 is not in discovery for a moment.',
      'warning recreated: the API server, which keeps it for CustomResourceDefinition widgets.example.com, makes 1 APIService again. To be rid of it, delete customresourcedefinition.apiextensions.k8s.io/widgets.example.com instead.',
    ]);
    expect(told(objects, [custom, own]).some((one) => one.includes('registers it again'))).toBe(
      false,
    );
  });

  test('that stays and points at what is gone is told', () => {
    const shop = namespace('shop');
    const role = clusterRole('shop-reader', {
      annotations: {
        'meta.helm.sh/release-name': 'web',
        'meta.helm.sh/release-namespace': 'shop',
      },
    });
    expect(told([shop, role], shop)[1]).toBe(
      'note left-dangling: ClusterRole shop-reader belongs to Helm releases of a namespace that is deleted, and stays: helm uninstall the releases first, or delete what is left.',
    );
    const web = deployment('web');
    const frozen = configMap('frozen', {
      ownerReferences: [ownedBy(web), ownedByGone('gone.example.com/v1 Gone it')],
    });
    expect(told([web, frozen], web)).toEqual([
      'warning left-dangling: ConfigMap frozen keeps a reference to what is deleted, and the garbage collector does not remove it: why says for what reason.',
    ]);
  });
});

describe('what comes back', () => {
  const web = deployment('web', { facts: { replicas: 2 } });
  const current = replicaSet('web-1', { ...by(web), facts: { replicas: 2 } });
  const first = pod('web-1-a', { ...by(current), facts: unbound });

  test('a pod of a ReplicaSet, and who is to be deleted instead', () => {
    expect(told([web, current, first], first)).toEqual([
      'warning recreated: ReplicaSet web-1 makes 1 Pod again. To be rid of it, delete deployment.apps/web instead, or scale down.',
    ]);
    expect(planned([web, current, first], first).objects[0]).toMatchObject({
      fate: 'recreated',
      because: 'requested; nothing holds it, so it is gone at once; ReplicaSet web-1 makes another',
    });
  });

  test('perhaps, where the replicas were not read', () => {
    const unread = replicaSet('web-1', by(web));
    expect(told([web, unread, first], first)).toEqual([
      'note recreated: ReplicaSet web-1 may make 1 Pod again: its number of replicas was not read. To be rid of it, delete deployment.apps/web instead, or scale down.',
    ]);
    expect(fatesOf([web, unread, first], first)).toEqual(['web-1-a: deleted']);
  });

  test('by the pod whose ephemeral volume it is, and not of a claim that goes with a pod', () => {
    const volumes = [
      { name: 'scratch', ephemeral: true },
      { name: 'data', claimName: 'data' },
    ];
    const web = pod('web', { facts: { ...unbound, volumes } });
    const unread = { ...web, facts: undefined };
    const [scratch, data] = [volumeClaim('web-scratch', by(web)), volumeClaim('data', by(web))];
    expect([
      fatesOf([web, scratch], scratch),
      fatesOf([web, data], data),
      fatesOf([web, scratch], web),
      told([unread, scratch], scratch).filter((line) => line.includes('recreated')),
    ]).toEqual([
      ['web-scratch: recreated'],
      ['data: deleted'],
      ['web: deleted', 'web-scratch: deleted'],
      [
        'note recreated: Pod web may make 1 PersistentVolumeClaim again: its list of volumes was not read. To be rid of it, delete pod/web instead.',
      ],
    ]);
  });

  test('with advice that fits who makes it', () => {
    const adviceOf = (records: readonly ObjectRecord[], target: ObjectRecord) =>
      told(records, target).map((line) => line.replace(/^.* again\. /, ''));
    const host = node('a');
    const mirror = pod('etcd-a', {
      ...by(host),
      namespace: 'infra',
      annotations: { 'kubernetes.io/config.mirror': 'hash' },
      facts: { nodeName: 'a' },
    });
    expect(told([host, mirror], mirror)).toEqual([
      'warning recreated: the kubelet of Node a makes 1 Pod again. To be rid of it, remove the manifest of the static pod on that node (staticPodPath of the kubelet, usually /etc/kubernetes/manifests).',
    ]);
    const lease = builderOf('coordination.k8s.io/v1', 'Lease')('a', {
      namespace: 'kube-node-lease',
      ownerReferences: [ownedBy(host)],
    });
    expect(adviceOf([host, lease], lease)).toEqual([
      'To be rid of it, stop the kubelet on that node first.',
    ]);
    const logs = daemonSet('logs', { facts: {} });
    const loggers = ['a', 'b'].map((name) => pod(name, { ...by(logs), facts: unbound }));
    expect(adviceOf([logs, ...loggers], loggers[0] as ObjectRecord)).toEqual([
      'To be rid of it, delete daemonset.apps/logs instead, or keep it off the node with a node selector or a taint.',
    ]);
    const history = builderOf('apps/v1', 'ControllerRevision')('logs-1', by(logs));
    const set = { ...logs, facts: { currentRevision: 'logs-1' } };
    expect(adviceOf([set, history], history)).toEqual([
      'To be rid of it, delete daemonset.apps/logs instead.',
    ]);
    const pi = job('pi', { facts: {} });
    const worker = pod('pi-a', { ...by(pi), facts: unbound });
    expect(adviceOf([pi, worker], worker)).toEqual([
      'To be rid of it, delete job.batch/pi instead, or suspend the Job.',
    ]);
  });

  test('the Endpoints and slices of a Service with a selector, and none without', () => {
    const endpoints = builderOf('v1', 'Endpoints')('front');
    const front = service('front', { facts: { selector: { matchLabels: { app: 'web' } } } });
    const advice =
      'To be rid of it, delete service/front instead, or take the selector out of the Service.';
    expect(told([front, endpoints], endpoints)).toEqual([
      `warning recreated: Service front makes 1 Endpoints again. ${advice}`,
    ]);
    const ends = slice('front-x', by(front));
    expect(told([front, ends], ends)).toEqual([
      `warning recreated: Service front makes 1 EndpointSlice again. ${advice}`,
    ]);
    expect(fatesOf([service('front', { facts: {} }), endpoints], endpoints)).toEqual([
      'front: deleted',
    ]);
    expect(fatesOf([endpoints], endpoints)).toEqual(['front: deleted']);
  });

  test('nothing in a namespace that is being deleted, nor of a definition that goes', () => {
    const shop = namespace('shop', { deleting: 'background' });
    const front = service('front', { facts: { selector: { matchLabels: { app: 'web' } } } });
    const ends = slice('front-x', by(front));
    expect(fatesOf([shop, front, ends], ends)).toEqual(['front-x: deleted']);
    const widgets = definition('widgets.example.com', { deleting: 'background' });
    const rack = builderOf('example.com/v1', 'Gadget')('rack');
    const made = widget('made', by(rack));
    expect(told([widgets, rack, made], made)).toEqual([]);
  });

  test('perhaps, where a custom controller owns it; not where its controller is off', () => {
    const owner = widget('w');
    const made = configMap('made', by(owner));
    expect(told([owner, made], made)).toEqual([
      'note recreated: Widget w may make 1 ConfigMap again: that is up to the controller of widget.example.com. To be rid of it, delete widget.example.com/w instead.',
    ]);
  });
});

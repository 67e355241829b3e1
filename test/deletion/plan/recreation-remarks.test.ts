import { describe, expect, test } from 'vitest';
import { fatesOfPlan } from './planned.ts';
import { casesOfPlans, plansFrom, remarksOf } from './told.ts';

describe('content', () => {
  const crd = 'CustomResourceDefinition widgets.example.com is deleted';
  const unserved = 'Afterwards the kind is not served any more, to anybody.';
  const instead =
    'To be rid of it, delete customresourcedefinition.apiextensions.k8s.io/widgets.example.com instead.';
  const frozen =
    '[{apiVersion: apps/v1, kind: Deployment, name: web, uid: uid-deployment-shop-web}, {apiVersion: gone.example.com/v1, kind: Gone, name: it, uid: gone}]';
  const registered = (how: string) =>
    `{labels: {kube-aggregator.kubernetes.io/automanaged: ${how}}}`;
  const fromStart =
    'warning unserved-api: APIService v1.apps is deleted: apps/v1 is not in discovery any more until an API server starts again. 1 object that was read of it (1 Deployment) stays, but kubectl and others that go by discovery do not find them, and the garbage collector collects nothing of it meanwhile.';
  const untilRegistered =
    'warning unserved-api: APIService v1beta1.metrics.k8s.io is deleted: metrics.k8s.io/v1beta1 is not in discovery any more until it is registered again. No object that was read is of it alone.';
  const forAMoment =
    'note unserved-api: APIService v1.example.com is deleted, and an API server registers it again: example.com/v1 is not in discovery for a moment.';
  const apiAgain = `warning recreated: the API server, which keeps it for CustomResourceDefinition widgets.example.com, makes 1 APIService again. ${instead}`;
  const ofReleases =
    'note left-dangling: ClusterRole shop-reader belongs to Helm releases of a namespace that is deleted, and stays: helm uninstall the releases first, or delete what is left.';
  const dangling =
    'warning left-dangling: ConfigMap frozen keeps a reference to what is deleted, and the garbage collector does not remove it: why says for what reason.';
  casesOfPlans(
    remarksOf,
    `
    shop    | Namespace shop
    a       | Pod a
    b       | Pod b
    s       | Secret s
    away    | ConfigMap bank/away
    crd     | CustomResourceDefinition widgets.example.com
    wa      | Widget a
    wb      | Widget bank/b
    apps    | APIService v1.apps         | ${registered('onstart')}
    metrics | APIService v1beta1.metrics.k8s.io
    custom  | APIService v1.example.com  | ${registered('"true"')}
    web     | Deployment web
    role    | ClusterRole shop-reader
        | {annotations: {meta.helm.sh/release-name: web, meta.helm.sh/release-namespace: shop}}
    frozen  | ConfigMap frozen | {ownerReferences: ${frozen}}
    `,
    `
    of a namespace is counted | shop; a; b; s; away |
        | warning data: The data of Secret s goes: no controller is known that makes it again.
        | warning namespace-content: Namespace shop is deleted with the 3 objects in it.
    of an empty namespace | shop | | warning namespace-content: Namespace shop is deleted, and nothing was seen in it.
    of a definition are its instances, wherever they are | crd; wa; wb |
        | warning custom-resources: ${crd} with 2 Widget objects in 2 namespaces, and with what depends on them. ${unserved}
    of a definition may be what was not read | crd | {unread: [widgets.example.com]}
        | warning custom-resources: ${crd} and its instances were not read. ${unserved}
    of an APIService leaves discovery until an API server starts | apps; crd; web; a |
        | ${fromStart}
    until it is registered | metrics; crd; web; a |
        | ${untilRegistered}
    or for a moment | custom; crd; web; a |
        | ${forAMoment}
        | ${apiAgain}
    and for good with its definition | custom; crd | custom, crd
        | note custom-resources: ${crd} and no instance of it exists. ${unserved}
    that stays in a Helm release of a namespace is told | shop; role |
        | warning namespace-content: Namespace shop is deleted, and nothing was seen in it.
        | ${ofReleases}
    that stays and points at what is gone is told | web; frozen |
        | ${dangling}
    `,
  );
});

describe('what comes back', () => {
  const again = (who: string, of: string) =>
    `warning recreated: ${who} makes 1 ${of} again. To be rid of it,`;
  const perhaps = (who: string, of: string, why: string) =>
    `note recreated: ${who} may make 1 ${of} again: ${why}. To be rid of it,`;
  const web = 'delete deployment.apps/web instead, or scale down.';
  const front = 'delete service/front instead, or take the selector out of the Service.';
  const controller = 'that is up to the controller of widget.example.com';
  const objects = `
    web     | Deployment web     | {facts: {replicas: 2}}
    set     | ReplicaSet web-1   | {under: web, facts: {replicas: 2}}
    db      | StatefulSet db     | {facts: {replicas: 3}}
    db-0    | Pod db-0           | {under: db, facts: {nodeName: n, phase: Pending}}
    db-1    | Pod db-1           | {under: db, facts: {nodeName: ""}}
    pod     | Pod web-1-a        | {under: set, facts: {nodeName: ""}}
    user    | Pod web
        | {facts: {nodeName: "", volumes: [{name: scratch, ephemeral: true}, {name: data, claimName: data}]}}
    scratch | PersistentVolumeClaim web-scratch | {under: user}
    data    | PersistentVolumeClaim data        | {under: user}
    host    | Node a
    mirror  | Pod infra/etcd-a   | {under: host, annotations: {kubernetes.io/config.mirror: hash}, facts: {nodeName: a}}
    lease   | Lease kube-node-lease/a | {by: host}
    logs    | DaemonSet logs     | {facts: {currentRevision: logs-1}}
    logger  | Pod a              | {under: logs, facts: {nodeName: ""}}
    beside  | Pod b              | {under: logs, facts: {nodeName: ""}}
    history | ControllerRevision logs-1 | {under: logs}
    pi      | Job pi             | {facts: {}}
    worker  | Pod pi-a           | {under: pi, facts: {nodeName: ""}}
    front   | Service front      | {facts: {selector: {matchLabels: {app: web}}}}
    ends    | Endpoints front
    slice   | EndpointSlice front-x | {under: front}
    shop    | Namespace shop     | {deleting: true}
    crd     | CustomResourceDefinition widgets.example.com | {deleting: true}
    rack    | Gadget rack
    racked  | Widget made        | {under: rack}
    owner   | Widget w
    made    | ConfigMap made     | {under: owner}
    `;
  const fromManifest = `${again('the kubelet of Node a', 'Pod')} remove the manifest of the static pod on that node (staticPodPath of the kubelet, usually /etc/kubernetes/manifests).`;
  const offTheNode = `${again('DaemonSet logs', 'Pod')} delete daemonset.apps/logs instead, or keep it off the node with a node selector or a taint.`;
  casesOfPlans(
    (plan) => [
      ...fatesOfPlan(plan),
      ...remarksOf(plan).filter((line) => line.includes('recreated')),
    ],
    objects,
    `
    a pod of a ReplicaSet, and who is to be deleted instead | pod; set; web |
        | web-1-a: recreated | ${again('ReplicaSet web-1', 'Pod')} ${web}
    perhaps, where the replicas were not read | pod; set {facts: null}; web |
        | web-1-a: deleted | ${perhaps('ReplicaSet web-1', 'Pod', 'its number of replicas was not read')} ${web}
    perhaps, where its StatefulSet waits for another pod first | db-1; db-0; db |
        | db-1: deleted | ${perhaps('StatefulSet db', 'Pod', 'Pod db-0 is to be ready before')} delete statefulset.apps/db instead, or scale down.
    for certain where the order is no matter | db-1; db-0; db {facts: {replicas: 3, podManagementPolicy: Parallel}} |
        | db-1: recreated | ${again('StatefulSet db', 'Pod')} delete statefulset.apps/db instead, or scale down.
    and where that pod is made anew as well | db-1; db-0; db | db-0, db-1 | db-0: recreated | db-1: recreated
        | warning recreated: StatefulSet db makes 2 Pods again. To be rid of them, delete statefulset.apps/db instead, or scale down.
    an ephemeral volume of a pod | scratch; user | | web-scratch: recreated
        | ${again('Pod web', 'PersistentVolumeClaim')} delete pod/web instead.
    not another claim            | data; user    | | data: deleted
    not what goes with the pod   | user; scratch | | web: deleted | web-scratch: deleted
    perhaps, where its volumes were not read | scratch; user {facts: null} | | web-scratch: deleted
        | ${perhaps('Pod web', 'PersistentVolumeClaim', 'its list of volumes was not read')} delete pod/web instead.
    a static pod | mirror; host | | etcd-a: recreated
        | ${fromManifest}
    the Lease of a Node | lease; host | | a: recreated
        | ${again('the kubelet of Node a', 'Lease')} stop the kubelet on that node first.
    a pod of a DaemonSet | logger; beside; logs | | a: recreated
        | ${offTheNode}
    its present revision | history; logs | | logs-1: recreated
        | ${again('DaemonSet logs', 'ControllerRevision')} delete daemonset.apps/logs instead.
    a pod of a Job | worker; pi | | pi-a: recreated | ${again('Job pi', 'Pod')} delete job.batch/pi instead, or suspend the Job.
    the Endpoints of a Service with a selector | ends; front | | front: recreated
        | ${again('Service front', 'Endpoints')} ${front}
    its slices       | slice; front | | front-x: recreated | ${again('Service front', 'EndpointSlice')} ${front}
    not those of one without a selector | ends; front {facts: {}} | | front: deleted
    not those of none                   | ends | | front: deleted
    nothing in a namespace that is being deleted | slice; front; shop | | front-x: deleted
    nothing of a definition that goes   | racked; rack; crd | | made: deleted
    perhaps, where a custom controller owns it | made; owner |
        | made: deleted | ${perhaps('Widget w', 'ConfigMap', controller)} delete widget.example.com/w instead.
    `,
  );

  test('is told in the reason', () => {
    expect(plansFrom(objects)('pod; set; web').objects[0]?.because).toBe(
      'requested; nothing holds it, so it is gone at once; ReplicaSet web-1 makes another',
    );
  });
});

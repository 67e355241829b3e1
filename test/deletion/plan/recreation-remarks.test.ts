import { describe, expect, test } from 'vitest';
import { fatesOfPlan } from './planned.ts';
import { outcomesOf, plansFrom, remarksOf } from './told.ts';

describe('content', () => {
  const frozen =
    '[{apiVersion: apps/v1, kind: Deployment, name: web, uid: uid-deployment-shop-web}, {apiVersion: gone.example.com/v1, kind: Gone, name: it, uid: gone}]';
  const registered = (how: string) =>
    `{labels: {kube-aggregator.kubernetes.io/automanaged: ${how}}}`;
  test('is named in the remarks of a plan', () => {
    expect(
      outcomesOf(
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
    of a namespace is counted | shop; a; b; s; away
    of an empty namespace | shop
    of a definition are its instances, wherever they are | crd; wa; wb
    of a definition may be what was not read | crd | {unread: [widgets.example.com]}
    of an APIService leaves discovery until an API server starts | apps; crd; web; a
    until it is registered | metrics; crd; web; a
    or for a moment | custom; crd; web; a
    and for good with its definition | custom; crd | custom, crd
    that stays in a Helm release of a namespace is told | shop; role
    that stays and points at what is gone is told | web; frozen
    `,
      ),
    ).toMatchInlineSnapshot(`
      "of a namespace is counted
        warning data: Secret s is lost: no known controller recreates it.
        warning namespace-content: Namespace shop is deleted with the 3 objects in it.
      of an empty namespace
        warning namespace-content: Namespace shop is deleted, and nothing was seen in it.
      of a definition are its instances, wherever they are
        warning custom-resources: CustomResourceDefinition widgets.example.com is deleted with 2 Widget objects in 2 namespaces, and with what depends on them. Afterwards the kind is not served any more, to anybody.
      of a definition may be what was not read
        warning custom-resources: CustomResourceDefinition widgets.example.com is deleted and its instances were not read. Afterwards the kind is not served any more, to anybody.
      of an APIService leaves discovery until an API server starts
        warning unserved-api: APIService v1.apps is deleted: apps/v1 is not in discovery any more until an API server starts again. 1 object that was read of it (1 Deployment) stays, but kubectl and other clients of discovery do not find them, and the garbage collector does not collect them meanwhile.
      until it is registered
        warning unserved-api: APIService v1beta1.metrics.k8s.io is deleted: metrics.k8s.io/v1beta1 is not in discovery any more until it is registered again. No object that was read is of it alone.
      or for a moment
        note unserved-api: APIService v1.example.com is deleted, and an API server registers it again: example.com/v1 is not in discovery for a moment.
        warning recreated: the API server, which keeps it for CustomResourceDefinition widgets.example.com, recreates 1 APIService. To delete it for good, delete customresourcedefinition.apiextensions.k8s.io/widgets.example.com instead.
      and for good with its definition
        note custom-resources: CustomResourceDefinition widgets.example.com is deleted and no instance of it exists. Afterwards the kind is not served any more, to anybody.
      that stays in a Helm release of a namespace is told
        warning namespace-content: Namespace shop is deleted, and nothing was seen in it.
        note left-dangling: ClusterRole shop-reader belongs to Helm releases of a namespace that is deleted, and stays: helm uninstall the releases first, or delete what is left.
      that stays and points at what is gone is told
        warning left-dangling: ConfigMap frozen keeps a reference to what is deleted, and the garbage collector does not remove it: why says for what reason."
    `);
  });
});

describe('recreated objects', () => {
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
    logs    | DaemonSet logs     | {facts: {}}
    logger  | Pod a              | {under: logs, facts: {nodeName: ""}}
    beside  | Pod b              | {under: logs, facts: {nodeName: ""}}
    history | ControllerRevision logs-1 | {under: logs, facts: {revision: 1}}
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
  test('names who recreates it, and how to delete it for good', () => {
    expect(
      outcomesOf(
        (plan) => [
          ...fatesOfPlan(plan),
          ...remarksOf(plan).filter((line) => line.includes('recreated')),
        ],
        objects,
        `
    a pod of a ReplicaSet, and who is to be deleted instead | pod; set; web
    not one that is being deleted, and has its replacement | pod {deleting: true}; set; web
    not one of a Job either | worker {deleting: true}; pi
    but one whose Job waits for its end | worker {deleting: true}; pi {facts: {podReplacementPolicy: Failed}}
    perhaps, where the replicas were not read | pod; set {facts: null}; web
    perhaps, where its StatefulSet waits for another pod first | db-1; db-0; db
    for certain where the order is no matter | db-1; db-0; db {facts: {replicas: 3, podManagementPolicy: Parallel}}
    and where that pod is made anew as well | db-1; db-0; db | db-0, db-1
    an ephemeral volume of a pod | scratch; user
    not another claim | data; user
    not what goes with the pod | user; scratch
    perhaps, where its volumes were not read | scratch; user {facts: null}
    a static pod | mirror; host
    the Lease of a Node | lease; host
    a pod of a DaemonSet | logger; beside; logs
    its present revision | history; logs
    a pod of a Job | worker; pi
    the Endpoints of a Service with a selector | ends; front
    its slices | slice; front
    not those of one without a selector | ends; front {facts: {}}
    not those of none | ends
    nothing in a namespace that is being deleted | slice; front; shop
    nothing of a definition that goes | racked; rack; crd
    perhaps, where a custom controller owns it | made; owner
    `,
      ),
    ).toMatchInlineSnapshot(`
      "a pod of a ReplicaSet, and who is to be deleted instead
        web-1-a: recreated
        warning recreated: ReplicaSet web-1 recreates 1 Pod. To delete it for good, delete deployment.apps/web instead, or scale down.
      not one that is being deleted, and has its replacement
        web-1-a: deleted
      not one of a Job either
        pi-a: deleted
      but one whose Job waits for its end
        pi-a: recreated
        warning recreated: Job pi recreates 1 Pod. To delete it for good, delete job.batch/pi instead, or suspend the Job.
      perhaps, where the replicas were not read
        web-1-a: deleted
        note recreated: ReplicaSet web-1 may recreate 1 Pod: its number of replicas was not read. To delete it for good, delete deployment.apps/web instead, or scale down.
      perhaps, where its StatefulSet waits for another pod first
        db-1: deleted
        note recreated: StatefulSet db may recreate 1 Pod: Pod db-0 is to be ready before. To delete it for good, delete statefulset.apps/db instead, or scale down.
      for certain where the order is no matter
        db-1: recreated
        warning recreated: StatefulSet db recreates 1 Pod. To delete it for good, delete statefulset.apps/db instead, or scale down.
      and where that pod is made anew as well
        db-0: recreated
        db-1: recreated
        warning recreated: StatefulSet db recreates 2 Pods. To delete them for good, delete statefulset.apps/db instead, or scale down.
      an ephemeral volume of a pod
        web-scratch: recreated
        warning recreated: Pod web recreates 1 PersistentVolumeClaim. To delete it for good, delete pod/web instead.
      not another claim
        data: deleted
      not what goes with the pod
        web: deleted
        web-scratch: deleted
      perhaps, where its volumes were not read
        web-scratch: deleted
        note recreated: Pod web may recreate 1 PersistentVolumeClaim: its list of volumes was not read. To delete it for good, delete pod/web instead.
      a static pod
        etcd-a: recreated
        warning recreated: the kubelet of Node a recreates 1 Pod. To delete it for good, remove the manifest of the static pod on that node (staticPodPath of the kubelet, usually /etc/kubernetes/manifests).
      the Lease of a Node
        a: recreated
        warning recreated: the kubelet of Node a recreates 1 Lease. To delete it for good, stop the kubelet on that node first.
      a pod of a DaemonSet
        a: recreated
        warning recreated: DaemonSet logs recreates 1 Pod. To delete it for good, delete daemonset.apps/logs instead, or keep it off the node with a node selector or a taint.
      its present revision
        logs-1: recreated
        warning recreated: DaemonSet logs recreates 1 ControllerRevision. To delete it for good, delete daemonset.apps/logs instead.
      a pod of a Job
        pi-a: recreated
        warning recreated: Job pi recreates 1 Pod. To delete it for good, delete job.batch/pi instead, or suspend the Job.
      the Endpoints of a Service with a selector
        front: recreated
        warning recreated: Service front recreates 1 Endpoints. To delete it for good, delete service/front instead, or take the selector out of the Service.
      its slices
        front-x: recreated
        warning recreated: Service front recreates 1 EndpointSlice. To delete it for good, delete service/front instead, or take the selector out of the Service.
      not those of one without a selector
        front: deleted
      not those of none
        front: deleted
      nothing in a namespace that is being deleted
        front-x: deleted
      nothing of a definition that goes
        made: deleted
      perhaps, where a custom controller owns it
        made: deleted
        note recreated: Widget w may recreate 1 ConfigMap: that is up to the controller. To delete it for good, delete widget.example.com/w instead."
    `);
  });

  test('stands in the reason', () => {
    const [first] = plansFrom(objects)('pod; set; web').objects;
    expect(first?.because.split('; ').at(-1)).toMatchInlineSnapshot(
      `"ReplicaSet web-1 makes another"`,
    );
  });
});

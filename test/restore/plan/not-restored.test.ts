import { describe } from 'vitest';
import { casesOfRestorations, decisionsOf, told } from '../saved.ts';

const created = 'create: it is not there';
const going = '{metadata: {deletionTimestamp: 2026-01-31T12:00:00Z}}';

describe('what its own component makes', () => {
  const labelled = (key: string, value: string) => `{metadata: {labels: {${key}: ${value}}}}`;
  // LabelManagedBy, and the names of the controllers, in v1.36.3.
  const slice = (by: string) =>
    `discovery.k8s.io/v1 EndpointSlice s ${labelled('endpointslice.kubernetes.io/managed-by', by)}`;
  const endpoints = (by: string) =>
    `v1 Endpoints e ${labelled('endpoints.kubernetes.io/managed-by', by)}`;
  const automanaged = 'kube-aggregator.kubernetes.io/automanaged';
  const event = 'skip: events report what happened, and are not worth restoring';
  const again = 'skip: the controller of its Service creates it again';
  casesOfRestorations(
    decisionsOf,
    `
    an Event                 | v1 Event e                        | | | ${event}
    one of events.k8s.io     | events.k8s.io/v1 Event e          | | | ${event}
    a Lease                  | coordination.k8s.io/v1 Lease l    | | | skip: the holder of a lease acquires it again
    a CSINode                | storage.k8s.io/v1 CSINode n       | | | skip: the kubelet of its node writes it
    a VolumeAttachment       | storage.k8s.io/v1 VolumeAttachment a
        | | | skip: the attach-detach controller attaches what pods need
    an IPAddress             | networking.k8s.io/v1 IPAddress 10.0.0.1
        | | | skip: the API server allocates addresses of Services itself
    a ResourceSlice          | resource.k8s.io/v1 ResourceSlice s | | | skip: the driver on its node writes it
    a CertificateSigningRequest | certificates.k8s.io/v1 CertificateSigningRequest c
        | | | cannot: only the client that wants the certificate can request it
    a Node                   | v1 Node n1 | | | cannot: a Node is a machine: its kubelet registers it when it starts
    not a ConfigMap          | v1 ConfigMap app                  | | | ${created}
    a slice                  | ${slice('endpointslice-controller.k8s.io')}             | | | ${again}
    a slice of Endpoints     | ${slice('endpointslicemirroring-controller.k8s.io')}    | | | ${again}
    not one of a mesh        | ${slice('mesh.example.com')}                            | | | ${created}
    nor with a longer name   | ${slice('not-endpointslice-controller.k8s.io')}         | | | ${created}
    nor in another domain    | ${slice('endpointslice-controller.k8s.io.example.com')} | | | ${created}
    nor of nobody            | discovery.k8s.io/v1 EndpointSlice s ${labelled('app', 'web')} | | | ${created}
    Endpoints                | ${endpoints('endpoint-controller')}                     | | | ${again}
    not of another one       | ${endpoints('my-endpoint-controller')}                  | | | ${created}
    nor of a second one      | ${endpoints('endpoint-controller-2')}                   | | | ${created}
    nor Endpoints of nobody  | v1 Endpoints e ${labelled('app', 'web')}                | | | ${created}
    an APIService | apiregistration.k8s.io/v1 APIService v1.apps ${labelled(automanaged, 'onstart')}
        | | | skip: the API server registers it itself
    not of a user | apiregistration.k8s.io/v1 APIService v1.x.example.com ${labelled('app', 'x')} | | | ${created}
    nor by its label alone | v1 ConfigMap app ${labelled(automanaged, '"true"')} | | | ${created}
    `,
  );
});

describe('a PersistentVolume', () => {
  const disk = (policy: string) =>
    `v1 PersistentVolume disk {spec: {persistentVolumeReclaimPolicy: ${policy}}}`;
  casesOfRestorations(
    decisionsOf,
    `
    that was deleted | ${disk('Delete')}
        | | | cannot: its reclaim policy is Delete: the storage behind it was removed with it, and the data is gone
    that was kept    | ${disk('Retain')} | | | ${created}
    `,
  );
});

describe('pods', () => {
  const by = (kind: string) => `skip: its ${kind} web creates its pods itself`;
  casesOfRestorations(
    decisionsOf,
    `
    of a ReplicaSet come from it | v1 Pod web-1 <- apps/v1 ReplicaSet web!       | | | ${by('ReplicaSet')}
    of a StatefulSet             | v1 Pod web-1 <- apps/v1 StatefulSet web!      | | | ${by('StatefulSet')}
    of a DaemonSet               | v1 Pod web-1 <- apps/v1 DaemonSet web!        | | | ${by('DaemonSet')}
    of a Job                     | v1 Pod web-1 <- batch/v1 Job web!             | | | ${by('Job')}
    of a ReplicationController   | v1 Pod web-1 <- v1 ReplicationController web! | | | ${by('ReplicationController')}
    that it only owns do not     | v1 Pod web-1 <- apps/v1 ReplicaSet web  | apps/v1 ReplicaSet web | | ${created}
    nor of a kind of another group | v1 Pod web-1 <- example.com/v1 Widget web! | example.com/v1 Widget web | | ${created}
    nor of a controller that makes no pods | v1 Pod web-1 <- apps/v1 Deployment web! | apps/v1 Deployment web | | ${created}
    that a kubelet shows for a file on its node | v1 Pod web {metadata: {annotations: {kubernetes.io/config.mirror: hash}}}
        | | | skip: the kubelet of its node shows it for a static pod
    `,
  );
});

describe('what had finished', () => {
  const pod = (phase: string) => `v1 Pod once {status: {phase: ${phase}}}`;
  const job = (type: string, status = 'True') =>
    `batch/v1 Job once {status: {conditions: [{type: ${type}, status: "${status}"}]}}`;
  const ended = (how: string) =>
    `skip: it had finished (${how}), and would run again; --finished creates it`;
  casesOfRestorations(
    decisionsOf,
    `
    a pod that has succeeded | ${pod('Succeeded')} | |                  | ${ended('Succeeded')}
    is created on demand     | ${pod('Succeeded')} | | {finished: true} | ${created}
    a pod that has failed    | ${pod('Failed')}    | |                  | ${ended('Failed')}
    is so on demand          | ${pod('Failed')}    | | {finished: true} | ${created}
    a Job that is complete   | ${job('Complete')}  | |                  | ${ended('Complete')}
    is on demand             | ${job('Complete')}  | | {finished: true} | ${created}
    a Job that has failed    | ${job('Failed')}    | |                  | ${ended('Failed')}
    is on demand, too        | ${job('Failed')}    | | {finished: true} | ${created}
    not a pod that runs      | ${pod('Running')}   | |                  | ${created}
    nor one that waits       | ${pod('Pending')}   | |                  | ${created}
    nor a Job that is suspended | ${job('Suspended')} | |               | ${created}
    nor one that is not yet complete | ${job('Complete', 'False')} | |  | ${created}
    `,
  );
});

describe('what the backup and the server say', () => {
  const faulty = 'v1 ConfigMap app {fault: its file is missing}';
  casesOfRestorations(
    decisionsOf,
    `
    a fault of its file is told   | ${faulty} |                  | | cannot: its file is missing
    unless it is there            | ${faulty} | v1 ConfigMap app | | exists: it is still there
    what was not deleted is not created | v1 ConfigMap app {fault: ""}
        | | | skip: it was not deleted with the others, so the backup does not hold it
    whether it is there must be known | v1 ConfigMap app | | {forbidden: [v1 ConfigMap app]}
        | cannot: it is unknown whether it is there: it is forbidden
    `,
  );
});

describe('a namespace that is needed', () => {
  const inBank = 'v1 ConfigMap app {metadata: {namespace: bank}}';
  const none = 'cannot: there is no namespace bank: create it, then run this again';
  casesOfRestorations(
    decisionsOf,
    `
    is there  | ${inBank} | v1 Namespace bank | | ${created}
    is gone   | ${inBank} | | | ${none}
    is going  | ${inBank} | v1 Namespace bank ${going}
        | | cannot: the namespace bank is being deleted: nothing can be created in it
    is not absent because it could not be looked up | ${inBank} | | {forbidden: [v1 Namespace bank]}
        | ${created}
    that cannot be restored keeps what is in it from coming back
        | ${inBank}; v1 Namespace bank {fault: its file is missing} | | | ${none} | cannot: its file is missing
    `,
  );
  casesOfRestorations(
    told,
    `
    comes back first | ${inBank}; v1 Namespace bank | | | 0 namespaces/bank create | 1 configmaps/app create
    `,
  );
});

describe('what hangs on an owner that cannot come back', () => {
  const below = (name: string, owner: string) => `v1 ConfigMap ${name} <- v1 ConfigMap ${owner}`;
  casesOfRestorations(
    told,
    `
    does not either, step by step
        | ${below('d', 'c')}; ${below('c', 'b')}; ${below('b', 'a')}; v1 ConfigMap a {fault: its file is missing} | |
        | 0 configmaps/a cannot | 0 configmaps/b cannot a:dropped | 0 configmaps/c cannot b:dropped
        | 0 configmaps/d cannot c:dropped
    `,
  );
});

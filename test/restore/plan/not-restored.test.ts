import { describe, expect, test } from 'vitest';
import { casesOfRestorations, decisionsOf, outcomesOf, told } from '../saved.ts';

const going = '{metadata: {deletionTimestamp: 2026-01-31T12:00:00Z}}';

describe('what its own component makes', () => {
  const labelled = (key: string, value: string) => `{metadata: {labels: {${key}: ${value}}}}`;
  // LabelManagedBy, and the names of the controllers, in v1.36.3.
  const slice = (by: string) =>
    `discovery.k8s.io/v1 EndpointSlice s ${labelled('endpointslice.kubernetes.io/managed-by', by)}`;
  const endpoints = (by: string) =>
    `v1 Endpoints e ${labelled('endpoints.kubernetes.io/managed-by', by)}`;
  const automanaged = 'kube-aggregator.kubernetes.io/automanaged';
  test('is not created, but what users make is', () => {
    expect(
      outcomesOf(
        decisionsOf,
        `
    an Event | v1 Event e
    one of events.k8s.io | events.k8s.io/v1 Event e
    a Lease | coordination.k8s.io/v1 Lease l
    a CSINode | storage.k8s.io/v1 CSINode n
    a VolumeAttachment | storage.k8s.io/v1 VolumeAttachment a
    an IPAddress | networking.k8s.io/v1 IPAddress 10.0.0.1
    a ResourceSlice | resource.k8s.io/v1 ResourceSlice s
    a CertificateSigningRequest | certificates.k8s.io/v1 CertificateSigningRequest c
    a Node | v1 Node n1
    not a ConfigMap | v1 ConfigMap app
    a slice | ${slice('endpointslice-controller.k8s.io')}
    a slice of Endpoints | ${slice('endpointslicemirroring-controller.k8s.io')}
    not one of a mesh | ${slice('mesh.example.com')}
    nor with a longer name | ${slice('not-endpointslice-controller.k8s.io')}
    nor in another domain | ${slice('endpointslice-controller.k8s.io.example.com')}
    nor of nobody | discovery.k8s.io/v1 EndpointSlice s ${labelled('app', 'web')}
    Endpoints | ${endpoints('endpoint-controller')}
    not of another one | ${endpoints('my-endpoint-controller')}
    nor of a second one | ${endpoints('endpoint-controller-2')}
    nor Endpoints of nobody | v1 Endpoints e ${labelled('app', 'web')}
    an APIService | apiregistration.k8s.io/v1 APIService v1.apps ${labelled(automanaged, 'onstart')}
    not of a user | apiregistration.k8s.io/v1 APIService v1.x.example.com ${labelled('app', 'x')}
    nor by its label alone | v1 ConfigMap app ${labelled(automanaged, '"true"')}
    `,
      ),
    ).toMatchInlineSnapshot(`
      "an Event
        skip: events report what happened, and are not worth restoring
      one of events.k8s.io
        skip: events report what happened, and are not worth restoring
      a Lease
        skip: the holder of a lease acquires it again
      a CSINode
        skip: the kubelet of its node writes it
      a VolumeAttachment
        skip: the attach-detach controller attaches what pods need
      an IPAddress
        skip: the API server allocates addresses of Services itself
      a ResourceSlice
        skip: the driver on its node writes it
      a CertificateSigningRequest
        cannot: only the client that wants the certificate can request it
      a Node
        cannot: a Node is a machine: its kubelet registers it when it starts
      not a ConfigMap
        create: it is not there
      a slice
        skip: the controller of its Service creates it again
      a slice of Endpoints
        skip: the controller of its Service creates it again
      not one of a mesh
        create: it is not there
      nor with a longer name
        create: it is not there
      nor in another domain
        create: it is not there
      nor of nobody
        create: it is not there
      Endpoints
        skip: the controller of its Service creates it again
      not of another one
        create: it is not there
      nor of a second one
        create: it is not there
      nor Endpoints of nobody
        create: it is not there
      an APIService
        skip: the API server registers it itself
      not of a user
        create: it is not there
      nor by its label alone
        create: it is not there"
    `);
  });
});

describe('a PersistentVolume', () => {
  const disk = (policy: string, phase: string, more = '') =>
    `v1 PersistentVolume disk {spec: {persistentVolumeReclaimPolicy: ${policy}, claimRef: {namespace: shop, name: data, uid: uid-data}${more}}, status: {phase: ${phase}}, metadata: {annotations: {${more === '' ? 'pv.kubernetes.io/provisioned-by: csi.example.com' : ''}}}}`;
  const claim = 'v1 PersistentVolumeClaim data {spec: {volumeName: disk}}';
  test('is created only where its data was kept', () => {
    expect(
      outcomesOf(
        decisionsOf,
        `
    that was released | ${disk('Delete', 'Bound')}
    that was never bound | ${disk('Delete', 'Available')}
    whose claim is there | ${disk('Delete', 'Bound')} | ${claim}
    that nobody provisioned | ${disk('Delete', 'Bound', ', nfs: {server: a, path: /b}')}
    that a plugin deletes | ${disk('Delete', 'Bound', ', hostPath: {path: /tmp/b}')}
    that was kept | ${disk('Retain', 'Bound')}
    `,
      ),
    ).toMatchInlineSnapshot(`
      "that was released
        cannot: its reclaim policy is Delete: its backing storage and the data were deleted with it
      that was never bound
        create: it is not there
      whose claim is there
        create: it is not there
      that nobody provisioned
        create: it is not there
      that a plugin deletes
        cannot: its reclaim policy is Delete: its backing storage and the data were deleted with it
      that was kept
        create: it is not there"
    `);
  });
});

describe('pods', () => {
  test('are created by what controls them', () => {
    expect(
      outcomesOf(
        decisionsOf,
        `
    of a ReplicaSet come from it | v1 Pod web-1 <- apps/v1 ReplicaSet web!
    of a StatefulSet | v1 Pod web-1 <- apps/v1 StatefulSet web!
    of a DaemonSet | v1 Pod web-1 <- apps/v1 DaemonSet web!
    of a Job | v1 Pod web-1 <- batch/v1 Job web!
    of a ReplicationController | v1 Pod web-1 <- v1 ReplicationController web!
    that it only owns do not | v1 Pod web-1 <- apps/v1 ReplicaSet web | apps/v1 ReplicaSet web
    nor of a kind of another group | v1 Pod web-1 <- example.com/v1 Widget web! | example.com/v1 Widget web
    nor of a controller that makes no pods | v1 Pod web-1 <- apps/v1 Deployment web! | apps/v1 Deployment web
    that a kubelet shows for a file on its node | v1 Pod web {metadata: {annotations: {kubernetes.io/config.mirror: hash}}}
    `,
      ),
    ).toMatchInlineSnapshot(`
      "of a ReplicaSet come from it
        skip: its ReplicaSet web creates its pods itself
      of a StatefulSet
        skip: its StatefulSet web creates its pods itself
      of a DaemonSet
        skip: its DaemonSet web creates its pods itself
      of a Job
        skip: its Job web creates its pods itself
      of a ReplicationController
        skip: its ReplicationController web creates its pods itself
      that it only owns do not
        create: it is not there
      nor of a kind of another group
        create: it is not there
      nor of a controller that makes no pods
        create: it is not there
      that a kubelet shows for a file on its node
        skip: the kubelet of its node shows it for a static pod"
    `);
  });
});

describe('what had finished', () => {
  const pod = (phase: string) => `v1 Pod once {status: {phase: ${phase}}}`;
  const job = (type: string, status = 'True') =>
    `batch/v1 Job once {status: {conditions: [{type: ${type}, status: "${status}"}]}}`;
  test('is created only where that is asked for', () => {
    expect(
      outcomesOf(
        decisionsOf,
        `
    a pod that has succeeded | ${pod('Succeeded')}
    is created on demand | ${pod('Succeeded')} |  | {finished: true}
    a pod that has failed | ${pod('Failed')}
    is so on demand | ${pod('Failed')} |  | {finished: true}
    a Job that is complete | ${job('Complete')}
    is on demand | ${job('Complete')} |  | {finished: true}
    a Job that has failed | ${job('Failed')}
    is on demand, too | ${job('Failed')} |  | {finished: true}
    not a pod that runs | ${pod('Running')}
    nor one that waits | ${pod('Pending')}
    nor a Job that is suspended | ${job('Suspended')}
    nor one that is not yet complete | ${job('Complete', 'False')}
    `,
      ),
    ).toMatchInlineSnapshot(`
      "a pod that has succeeded
        skip: it had finished (Succeeded), and would run again; --finished creates it
      is created on demand
        create: it is not there
      a pod that has failed
        skip: it had finished (Failed), and would run again; --finished creates it
      is so on demand
        create: it is not there
      a Job that is complete
        skip: it had finished (Complete), and would run again; --finished creates it
      is on demand
        create: it is not there
      a Job that has failed
        skip: it had finished (Failed), and would run again; --finished creates it
      is on demand, too
        create: it is not there
      not a pod that runs
        create: it is not there
      nor one that waits
        create: it is not there
      nor a Job that is suspended
        create: it is not there
      nor one that is not yet complete
        create: it is not there"
    `);
  });
});

describe('what the backup and the server say', () => {
  const faulty = 'v1 ConfigMap app {fault: its file is missing}';
  test('decide whether it is created', () => {
    expect(
      outcomesOf(
        decisionsOf,
        `
    a fault of its file is told | ${faulty}
    unless it is there | ${faulty} | v1 ConfigMap app
    what was not deleted is not created | v1 ConfigMap app {fault: ""}
    whether it is there must be known | v1 ConfigMap app |  | {forbidden: [v1 ConfigMap app]}
    `,
      ),
    ).toMatchInlineSnapshot(`
      "a fault of its file is told
        cannot: its file is missing
      unless it is there
        exists: it is still there
      what was not deleted is not created
        skip: it was not deleted with the others, so the backup does not hold it
      whether it is there must be known
        cannot: it is unknown whether it is there: it is forbidden"
    `);
  });
});

describe('a namespace that is needed', () => {
  const inBank = 'v1 ConfigMap app {metadata: {namespace: bank}}';
  test('has to exist, or to be restored', () => {
    expect(
      outcomesOf(
        decisionsOf,
        `
    is there | ${inBank} | v1 Namespace bank
    is gone | ${inBank}
    is going | ${inBank} | v1 Namespace bank ${going}
    is not absent because it could not be looked up | ${inBank} |  | {forbidden: [v1 Namespace bank]}
    that cannot be restored keeps what is in it from coming back | ${inBank}; v1 Namespace bank {fault: its file is missing}
    `,
      ),
    ).toMatchInlineSnapshot(`
      "is there
        create: it is not there
      is gone
        cannot: there is no namespace bank: create it, then run this again
      is going
        cannot: the namespace bank is being deleted: nothing can be created in it
      is not absent because it could not be looked up
        create: it is not there
      that cannot be restored keeps what is in it from coming back
        cannot: its file is missing
        cannot: there is no namespace bank: create it, then run this again"
    `);
  });
  casesOfRestorations(
    told,
    `
    comes back first | ${inBank}; v1 Namespace bank | | | 0 namespaces/bank create | 1 configmaps/app create
    `,
  );
});

describe('dependents of an owner that cannot be restored', () => {
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

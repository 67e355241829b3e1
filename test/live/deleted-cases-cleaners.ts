import type { KubeObject } from '../../src/kube/record-codec.ts';
import { postToEtcd } from '../support/etcd-storage.ts';
import type { TrueRemoval } from '../support/true-removals.ts';
import { podRequestGate, podRequestVersion } from './deleted-gates.ts';
import { sceneOf } from './deleted-scene.ts';
import { type Stage, startControllersAsThemselves } from './deleted-stage.ts';

/** Objects that are years old, as if their cleaners had waited for them: these check once when they start, and hours later. */
const longAgo = '2020-01-01T00:00:00Z';
const uidOf = (number: number) => `00000000-0000-4000-8000-0000000000${number}`;

const signingRequest: KubeObject = {
  apiVersion: 'certificates.k8s.io/v1',
  kind: 'CertificateSigningRequest',
  metadata: { name: 'deleted-request', uid: uidOf(10), creationTimestamp: longAgo },
  spec: { request: '', signerName: 'example.com/any', usages: ['client auth'] },
};
const podRequest: KubeObject = {
  apiVersion: podRequestVersion,
  kind: 'PodCertificateRequest',
  metadata: {
    name: 'deleted-pod-request',
    namespace: 'default',
    uid: uidOf(11),
    creationTimestamp: longAgo,
  },
  spec: { signerName: 'example.com/any', podName: 'web', podUID: 'u', nodeName: 'worker-1' },
};
const account: KubeObject = {
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { name: 'veteran', namespace: 'default', uid: uidOf(12), creationTimestamp: longAgo },
  secrets: [{ name: 'veteran-token' }],
};
const token: KubeObject = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: {
    name: 'veteran-token',
    namespace: 'default',
    uid: uidOf(13),
    creationTimestamp: longAgo,
    labels: { 'kubernetes.io/legacy-token-invalid-since': '2022-01-01' },
    annotations: {
      'kubernetes.io/service-account.name': 'veteran',
      'kubernetes.io/service-account.uid': uidOf(12),
    },
  },
  type: 'kubernetes.io/service-account-token',
};
/** Since when the use of tokens is tracked: without it no token is ever unused (SAT-2). */
const tracking: KubeObject = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    name: 'kube-apiserver-legacy-service-account-token-tracking',
    namespace: 'kube-system',
  },
  data: { since: '2019-01-01' },
};

/** Lets the cleaners delete what is years old, one after the other, and resolves with that. */
export async function cleanAtStart(stage: Stage): Promise<readonly TrueRemoval[]> {
  const { plane } = stage;
  const scene = sceneOf(stage, 'default');
  await plane.putObjects([signingRequest, account, token, tracking]);
  const cleaned = [
    [signingRequest, 'certificate-controller', 'CSR-3'],
    [token, 'legacy-service-account-token-cleaner', 'SAT-4'],
    ...(podRequestGate.length > 0
      ? ([[podRequest, 'podcertificaterequestcleaner', 'CSR-8']] as const)
      : []),
  ] as const;
  if (podRequestGate.length > 0) {
    const { namespace, name } = podRequest.metadata;
    const key = `/registry/podcertificaterequests/${namespace}/${name}`;
    await postToEtcd(plane.etcd, 'put', {
      key: btoa(key),
      value: btoa(JSON.stringify(podRequest)),
    });
  }
  await startControllersAsThemselves(
    stage,
    [
      'certificatesigningrequest-cleaner-controller',
      'legacy-serviceaccount-token-cleaner-controller',
      ...(podRequestGate.length > 0 ? ['podcertificaterequest-cleaner-controller'] : []),
    ],
    ['--controller-start-interval=4s', ...podRequestGate],
  );
  for (const [object, controller, rule] of cleaned) {
    const { kind } = object;
    const { uid = '', name = '' } = object.metadata as { uid?: string; name?: string };
    // It is served with the gate alone.
    const resource = 'podcertificaterequests';
    const path = `/apis/${podRequestVersion}/namespaces/default/${resource}/${name}`;
    const group = 'certificates.k8s.io';
    const place =
      object === podRequest
        ? { kind, namespace: 'default', name, group, resource, path }
        : scene.locate(`${kind} ${name}`);
    await scene.gone({ ...place, uid });
    scene.truth(kind.toLowerCase(), { ...place, uid }, scene.byController(place, controller, rule));
  }
  await plane.stopControllers();
  return scene.removals;
}

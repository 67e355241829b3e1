import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { gcHere } from '../support/run-here.ts';

/** A namespace that has been ending for four days, as kubectl get -o yaml prints it. */
const shop = `apiVersion: v1
kind: Namespace
metadata: {name: shop, uid: uid-shop, deletionTimestamp: 2026-01-01T00:00:00Z}
spec: {finalizers: [kubernetes]}
status:
  phase: Terminating
  conditions:
  - {type: NamespaceDeletionDiscoveryFailure, status: "True", reason: DiscoveryFailed, lastTransitionTime: 2026-01-01T00:00:05Z,
     message: "Discovery failed for some groups, 1 failing: stale GroupVersion discovery: metrics.k8s.io/v1beta1"}
  - {type: NamespaceContentRemaining, status: "False", reason: ContentRemoved, message: All content successfully removed}
`;
const apiService = `---
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: v1beta1.metrics.k8s.io, uid: uid-api}
spec: {group: metrics.k8s.io, version: v1beta1, service: {namespace: kube-system, name: metrics-server}}
status:
  conditions:
  - {type: Available, status: "False", reason: ServiceNotFound, lastTransitionTime: 2025-12-31T00:00:00Z,
     message: service/metrics-server in "kube-system" is not present}
`;

async function asked(question: string, text: string): Promise<string> {
  const file = join(mkdtempSync(join(tmpdir(), 'gc-')), 'cluster.yaml');
  writeFileSync(file, text);
  const { stdout } = await gcHere(
    `${question} --from ${file} --complete --now 2026-01-05T00:00:05Z`,
  );
  return stdout;
}

test('a namespace that ends when an API answers names its APIService, as the file holds it', async () => {
  expect(await asked('why namespace/shop', shop + apiService)).toMatchInlineSnapshot(`
    "Namespace/shop is stuck: Terminating for 4d, waiting for APIService/v1beta1.metrics.k8s.io
    └─ … nothing is left in what could be read, but the namespace controller finishes only when every kind could be listed
       └─ ✗ APIService/v1beta1.metrics.k8s.io: the API v1beta1.metrics.k8s.io does not answer: its Service kube-system/metrics-server does not exist
             → Bring the server behind kube-system/metrics-server back; if it was uninstalled, delete the APIService.

    Smallest safe step (--fix): delete the APIService v1beta1.metrics.k8s.io, whose server is gone
      risk: the kinds of metrics.k8s.io are not served until its server is installed again, which registers it again
    "
  `);
});

test('so do audit and an orphan whose owner that API served', async () => {
  const pods = `---
apiVersion: v1
kind: ConfigMap
metadata: {name: cpu, namespace: default, uid: uid-cpu, ownerReferences: [{apiVersion: metrics.k8s.io/v1beta1, kind: NodeMetrics, name: a, uid: uid-a}]}
`;
  expect(await asked('audit', shop + apiService)).toMatchInlineSnapshot(`
    "SEVERITY   NAMESPACE   OBJECT                              RULE              RESULT                                                                                                 REASON
    error                  APIService/v1beta1.metrics.k8s.io   unavailable-api   never deleted while it is down: what it serves, and what names an owner there; namespaces do not end   the kinds of metrics.k8s.io/v1beta1 could not be discovered: the APIService v1beta1.metrics.k8s.io is not available since 2025-12-31T00:00:00Z: ServiceNotFound: service/metrics-server in "kube-system" is not present
    error                  Namespace/shop                      stuck-object      never gone: it stays, being deleted, and whatever waits for it waits on                                being deleted for 4d: the API v1beta1.metrics.k8s.io does not answer: its Service kube-system/metrics-server does not exist
    "
  `);
  expect(await asked('orphans -A', shop + apiService + pods)).toMatchInlineSnapshot(`
    "NAMESPACE   OBJECT          OWNERS     RESULT    AGE         REASON
    default     ConfigMap/cpu   not read   unknown   <unknown>   the APIService v1beta1.metrics.k8s.io is not available since 2025-12-31T00:00:00Z: ServiceNotFound: service/metrics-server in "kube-system" is not present
    "
  `);
});

test('an API whose objects are in the file was served, whatever its APIService says', async () => {
  const metrics = `---
apiVersion: metrics.k8s.io/v1beta1
kind: NodeMetrics
metadata: {name: a, uid: uid-a}
`;
  const healthy = shop.replace(
    'NamespaceDeletionDiscoveryFailure, status: "True"',
    'NamespaceDeletionDiscoveryFailure, status: "False"',
  );
  expect(await asked('why namespace/shop', healthy + apiService + metrics)).toMatchInlineSnapshot(`
    "Namespace/shop is stuck: Terminating for 4d, waiting for finalizer kubernetes
    └─ ✗ nothing is left in it and every kind could be read, but the namespace controller has not finished it
       │  → It tries again within a minute. If it does not, remove the entry through the finalize subresource.
       └─ ? Lease/kube-controller-manager in kube-system: kube-controller-manager holds no Lease: it does not run, it runs elsewhere, or without leader election
             → Look whether kube-controller-manager runs.

    Smallest safe step (--fix): remove kubernetes from the spec.finalizers of Namespace shop, which is empty
      risk: objects of kinds that no API serves any more would be left in etcd, out of reach
    "
  `);
});

test('what the namespace controller reported is not contradicted in silence', async () => {
  expect(await asked('why namespace/shop', shop)).toMatchInlineSnapshot(`
    "Namespace/shop may be stuck; it is unknown whether it will end: Terminating for 4d, waiting for finalizer kubernetes
    └─ ? nothing is left in what the input holds; but the namespace controller reported NamespaceDeletionDiscoveryFailure 4d ago, at 2026-01-01T00:00:05Z: Discovery failed for some groups, 1 failing: stale GroupVersion discovery: metrics.k8s.io/v1beta1
          → Ask the cluster: which kinds can be listed, and whether anything is left of them.
    "
  `);
});

const event = (about: string, reason: string, rest: string) => `---
apiVersion: v1
kind: Event
metadata: {name: ${reason}, namespace: shop}
involvedObject: {${about}}
type: Warning
reason: ${reason}
source: {component: kubelet}
${rest}
`;

test('what Events in a file say of an object is told, of its deletion and of no other object, and decides nothing', async () => {
  const pod = `apiVersion: v1
kind: Pod
metadata: {name: web, namespace: shop, uid: uid-web, deletionTimestamp: 2026-01-01T00:00:30Z, deletionGracePeriodSeconds: 30}
spec: {nodeName: w1}
---
apiVersion: v1
kind: Node
metadata: {name: w1, uid: uid-w1}
status: {conditions: [{type: Ready, status: "True"}]}
`;
  const web = 'kind: Pod, namespace: shop, name: web, uid: uid-web';
  const events = [
    event(web, 'FailedKillPod', 'lastTimestamp: 2026-01-01T00:01:00Z\nmessage: a first time'),
    event(web, 'FailedKillPod', 'lastTimestamp: 2026-01-01T00:04:00Z\nmessage: "it does not stop"'),
    event(web, 'BackOff', 'lastTimestamp: 2025-12-31T00:00:00Z\nmessage: before the deletion'),
    event(
      'kind: Pod, namespace: shop, name: web, uid: uid-before',
      'Unhealthy',
      'lastTimestamp: 2026-01-01T00:04:00Z\nmessage: of another pod',
    ),
  ];
  const told = await asked('why pod/web -n shop', pod + events.join(''));
  const untold = await asked('why pod/web -n shop', pod);
  const added = told.split('\n').filter((line) => !untold.includes(line.slice(2)));
  expect(added).toEqual([
    '└─ ✓ kubelet reported FailedKillPod 3d23h ago, at 2026-01-01T00:04:00Z: it does not stop',
  ]);
  expect(told.split('\n')[0]).toBe(untold.split('\n')[0]);
});

test('of many Events the three that were seen last are told, also of one that was first seen long ago', async () => {
  const web = 'kind: ConfigMap, namespace: shop, name: web, uid: uid-web';
  const told = ['Old', 'Second', 'Third', 'Fourth', 'Old'].map((reason, minute) =>
    event(web, reason, `lastTimestamp: 2026-01-04T00:0${minute}:00Z\nmessage: ${minute}`),
  );
  const object = `apiVersion: v1
kind: ConfigMap
metadata: {name: web, namespace: shop, uid: uid-web}
`;
  const said = await asked('why configmap/web -n shop', object + told.join(''));
  expect(said.match(/reported \w+/g)).toEqual([
    'reported Old',
    'reported Fourth',
    'reported Third',
  ]);
});

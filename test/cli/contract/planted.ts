import { discoveryOf } from '../../support/discovery-answers.ts';
import { kube } from '../../support/kube.ts';
import { objectsOfYaml } from '../../support/objects-of-yaml.ts';

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

/** A Secret and a ConfigMap that hold a word in every place where something can be held, and what questions need. */
export function objectsWith(hidden: string) {
  const encoded = Buffer.from(hidden).toString('base64');
  const annotation = `${lastApplied}: '{"kind":"Secret","stringData":{"password":"${hidden}"}}'`;
  return objectsOfYaml(`
- apiVersion: v1
  kind: Secret
  type: Opaque
  metadata:
    name: login
    namespace: shop
    uid: uid-login
    annotations: {${annotation}, example.com/password: ${hidden}}
    ownerReferences:
    - {apiVersion: v1, kind: ConfigMap, name: settings, uid: uid-settings}
    - {apiVersion: v1, kind: ConfigMap, name: gone, uid: uid-gone}
    managedFields:
    - manager: kubectl
      operation: Update
      apiVersion: v1
      time: "2026-01-31T12:00:00Z"
      fieldsType: FieldsV1
      fieldsV1:
        f:data: {f:${hidden}: {}}
        f:metadata: {f:ownerReferences: {'k:{"uid":"uid-gone"}': {}}}
  data: {password: ${encoded}, ${hidden}: ${encoded}}
  stringData: {password: ${hidden}}
- apiVersion: v1
  kind: ConfigMap
  metadata: {name: settings, namespace: shop, uid: uid-settings, annotations: {${annotation}}}
  data: {app.conf: password=${hidden}}
  binaryData: {app.bin: ${encoded}}
  immutable: true
- apiVersion: v1
  kind: ConfigMap
  metadata:
    name: stuck
    namespace: shop
    uid: uid-stuck
    deletionTimestamp: "2026-01-01T00:00:00Z"
    finalizers: [acme.test/wait]
- {apiVersion: v1, kind: Node, metadata: {name: worker-1, uid: uid-node}, status: {images: []}}
- apiVersion: v1
  kind: Pod
  metadata: {name: kube-controller-manager-a, namespace: kube-system, uid: uid-manager}
  spec:
    containers:
    - name: kube-controller-manager
      image: registry.k8s.io/kube-controller-manager:v1.36.3
      command: [kube-controller-manager, --terminated-pod-gc-threshold=4]
`);
}

const spaces = ['default', 'kube-node-lease', 'kube-public', 'kube-system', 'shop'];

/** What an API server answers that has these objects, by path. */
export function answersWith(
  objects: ReturnType<typeof objectsWith>,
): Readonly<Record<string, object>> {
  const namespaces = spaces.map((name) => kube(`v1 Namespace ${name}`));
  const kinds = ['ConfigMap', 'Secret', 'Namespace', 'Node', 'Pod'];
  const answers: Record<string, object> = discoveryOf(...kinds);
  for (const kind of kinds) {
    const of = [...objects, ...namespaces].filter((one) => one.kind === kind);
    const about = { apiVersion: 'v1', kind: `${kind}List`, metadata: {} };
    const list = (items: readonly object[]) => ({ ...about, items });
    const resource = `${kind.toLowerCase()}s`;
    answers[`/api/v1/${resource}`] = list(of);
    for (const name of spaces) {
      const within = of.filter(({ metadata }) => metadata.namespace === name);
      answers[`/api/v1/namespaces/${name}/${resource}`] ??= list(within);
    }
    for (const one of of) {
      const { name, namespace } = one.metadata;
      const path = namespace === undefined ? resource : `namespaces/${namespace}/${resource}`;
      answers[`/api/v1/${path}/${name}`] = one;
    }
  }
  return answers;
}

/** What each command is asked; those that name files are left to the tests. */
export const questions: Readonly<Record<string, string>> = {
  owners: 'owners secret/login -n shop',
  tree: 'tree configmap/settings -n shop',
  orphans: 'orphans -A --unmanaged',
  deleted: 'deleted -A',
  'invalid-ownerrefs': 'invalid-ownerrefs -A --fix',
  images: 'images --all',
  containers: 'containers --all',
  why: 'why configmap/stuck -n shop',
  status: 'status',
  policies: 'policies',
  // Its answers are those of the other commands.
  mcp: 'mcp --help',
  simulate: 'simulate --delete configmap/settings -n shop',
  forecast: 'forecast',
  'podgc-preview': 'podgc-preview',
  settings: 'settings',
  audit: 'audit -A --fail-on never',
  report: 'report --fail-on never',
  rbac: 'rbac audit',
  'run-controllers': 'run-controllers --controllers nothing-like-it',
  guard: 'guard --serve nothing-like-it --name 127.0.0.1',
  completion: 'completion',
  options: 'options',
  version: 'version',
};

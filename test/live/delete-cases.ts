import { rowsOf } from '../support/rows.ts';

/** One command line, given to kubectl and to ours on equal namespaces. `NS` stands for the namespace. */
export interface DeleteCase {
  /** The arguments after `delete`, split at spaces; `DIR` is the folder of `manifests`, `URL` where they are served. */
  readonly line: string;
  /** What stands on stdin. */
  readonly input?: string;
  /** What the namespace has. */
  readonly objects: readonly Made[];
  /** The context's namespace is another one, so that only -n leads to the objects. */
  readonly withoutNamespace?: boolean;
  /** Who asks, as `--as`. */
  readonly as?: string;
  /** The words on stderr are ours on purpose: those of a wrong command line, or kubectl quotes the document or names itself. */
  readonly otherWords?: boolean;
}

interface Made {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly [field: string]: unknown };
  readonly [field: string]: unknown;
}

const configMap = (name: string, labels?: object): Made => ({
  kind: 'ConfigMap',
  metadata: { name, ...(labels && { labels }) },
});
const service = (name: string): Made => ({
  kind: 'Service',
  metadata: { name },
  spec: { ports: [{ port: 80 }] },
});
const podSpec = { containers: [{ name: 'main', image: 'example.com/main:1' }] };
const labels = { app: 'web' };
const workload = (kind: string, replicas: number): Made => ({
  kind,
  metadata: { name: 'web', labels },
  spec: {
    replicas,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: podSpec },
  },
});
const pod = { kind: 'Pod', metadata: { name: 'task', labels: { app: 'task' } }, spec: podSpec };
const usual = [
  configMap('a', { app: 'web', tier: 'front' }),
  configMap('b', { app: 'web' }),
  configMap('c'),
  service('a'),
  service('b'),
];

/** What a namespace has instead of the usual. */
const others: Readonly<Record<string, readonly Made[]>> = {
  web: [workload('Deployment', 1)],
  task: [pod],
  held: [{ kind: 'ConfigMap', metadata: { name: 'held', finalizers: ['example.com/hold'] } }],
  role: [{ kind: 'ClusterRole', metadata: { name: 'NS-role' }, rules: [] }, configMap('a')],
  // The ReplicaSet is without pods, so that nothing appears by itself.
  category: [service('a'), pod, workload('ReplicaSet', 0)],
  'among types': [service('a'), pod, configMap('a')],
  only: [configMap('a', { only: 'NS' })],
};

const yaml = (name: string, more = '') =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n${more}`;
const json = (name: string) => JSON.stringify({ apiVersion: 'v1', ...configMap(name) });

/** Files that cases name with `DIR`; `NS` stands for the namespace. */
export const manifests: Readonly<Record<string, string>> = {
  'a.yaml': yaml('a'),
  'two.yaml': `${yaml('b')}---\n# nothing but a comment\n---\n${yaml('a')}`,
  'missing.yaml': `${yaml('a')}---\n${yaml('gone')}---\n${yaml('b')}`,
  'list.yaml':
    'apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Service\n  metadata: {name: b}\n- apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: c}\n',
  'stream.json': `${json('c')}\n${json('a')}`,
  'labelled.yaml': `${yaml('a', '  labels: {app: web}\n')}---\n${yaml('c')}`,
  'elsewhere.yaml': yaml('a', '  namespace: somewhere-else\n'),
  'explicit.yaml': yaml('a', '  namespace: NS\n'),
  'unknown-kind.yaml': `${yaml('a')}---\napiVersion: example.com/v9\nkind: Widget\nmetadata: {name: w}\n---\n${yaml('b')}`,
  'unknown-item.yaml':
    'apiVersion: v1\nkind: List\nitems:\n- {apiVersion: example.com/v9, kind: Widget, metadata: {name: w}}\n- {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n',
  'old-version.yaml': 'apiVersion: apps/v1beta1\nkind: Deployment\nmetadata: {name: web}\n',
  'nameless.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {generateName: x-}\n',
  'kindless.yaml': 'apiVersion: v1\nmetadata: {name: a}\n',
  'broken.yaml': `${yaml('a')}---\na: b: c\n---\n${yaml('b')}`,
  'empty.yaml': '',
  'notes.txt': yaml('c'),
  'folder/2.yaml': yaml('a'),
  'folder/1.json': json('b'),
  'folder/readme.txt': 'no manifest',
  'folder/deeper/3.yml': yaml('c'),
  'only-text/readme.txt': 'no manifest',
  'kustomized/kustomization.yaml': 'resources: [a.yaml]\nnamePrefix: ""\n',
  'kustomized/a.yaml': yaml('a'),
  'role.yaml': `apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: NS-role}\n---\n${yaml('a')}`,
};

/** Lines that find the usual objects, one after the other: what is named, how it is deleted, what files name. */
const plain = `
configmap a | configmap/a | cm a | ConfigMaps a | cm b a | cm/b svc/a cm/a | cm,svc a b | cm,cm a | cm a a | cm a gone b |
cm gone | cm gone lost | cm gone --ignore-not-found | cm gone a --ignore-not-found=true | cm a -n nowhere-at-all |
cm --all | cm --all --selector= | svc,cm --all | secrets --all | cm -l app=web | cm,svc -l app=web | cm --selector tier,app!=db |
cm -l app=none | cm --field-selector metadata.name=b | cm --field-selector metadata.name!=a -l app=web |
--wait=false cm -n NS a --timeout 10s | -- cm a |
cm a --cascade | cm a --cascade=true | cm a --cascade=false | cm a --wait=false | cm a --wait | cm a --timeout=1m |
cm,svc a -o name | cm a gone --dry-run=client | cm -l app=web --dry-run=client | cm a --dry-run=client -o name |
cm a gone --dry-run=server | cm a --dry-run=none | cm a --dry-run | cm a --dry-run=false |
--raw /api/v1/namespaces/NS/configmaps/gone |
--raw /api/v1/namespaces/NS/configmaps/gone cm a --cascade=orphan --wait=false -l a=b |
--raw https://example.com/api/v1/namespaces/NS/configmaps/gone |
--raw /api/v1/namespaces/x/../NS/configmaps/gone/ | --raw /api/v1/configmaps?labelSelector=a%3Db |
-f DIR/a.yaml | -f DIR/notes.txt | -f DIR/two.yaml | -f DIR/two.yaml -f DIR/list.yaml | -f DIR/list.yaml,DIR/a.yaml |
-f DIR/a.yaml -f DIR/two.yaml | -f DIR/list.yaml | -f DIR/stream.json | -f DIR/missing.yaml |
-f DIR/missing.yaml --ignore-not-found | -f DIR/folder | -R -f DIR/folder | -f DIR/[al]*.yaml |
-f DIR/labelled.yaml -l app=web | -f URL/two.yaml | -f URL/nothing.yaml | -f DIR/empty.yaml | -k DIR/kustomized |
-f DIR/elsewhere.yaml -n NS | -f DIR/a.yaml -f DIR/elsewhere.yaml -n NS | -f DIR/two.yaml -o name |
-f DIR/missing.yaml --dry-run=client | -f DIR/unknown-kind.yaml |
-f DIR/old-version.yaml | -f DIR/nameless.yaml`;

/** What is refused, in words of our own. */
const refused = `
| pods | pods,deployments | nonsense a | nonsense | cm/a nonsense/b | nonsense.example.com a | nonsense --all | all a |
all/a | cm a -l app=web | cm a --all | cm/a -l app=web | cm --all -l app=web |
cm --all --field-selector metadata.name=a | -l app=web | --all | cm a -A | cm/a/b | cm/ | /a | cm -f DIR/a.yaml |
cm/a -f DIR/a.yaml | -f DIR/a.yaml -k DIR/kustomized | -k DIR/kustomized -R | -f DIR/nowhere.yaml |
-f DIR/nowhere.yaml -f DIR/nowhere.json | -f DIR/*.nothing | -f DIR/only-text | -f - -f - | cm a --cascade=sideways |
cm a --cascade=Orphan | pod task --now --grace-period=5 | pod task --force --grace-period=10 |
pod task --force --now | cm a --dry-run=maybe | cm a -o jsonpath=x | cm a --grace-period=soon | cm a --timeout=5 |
cm a --timeout=soon | cm a --nonsense | cm -l a=b=c | cm --field-selector nonsense=a | --raw /x -i |
--raw /x -f DIR/a.yaml -f DIR/two.yaml | --raw /x -f https://example.com/a.yaml | --raw /x -R | --raw /x -o name |
--raw configmaps/a`;

/** A line, and what is otherwise: what there is, who asks, `elsewhere` for a context of another namespace, `words`, stdin. */
const more = rowsOf(String.raw`
deployments.apps/web | web
deployments.v1.apps web | web
cm a -n NS | elsewhere
clusterrole NS-role | role
clusterrole/NS-role cm/a -n NS | role
clusterrole NS-role -A | role
all --all | category
cm,all --all | among types
cm -A -l only=NS | only
deploy web --cascade=background | web
deploy web --cascade=foreground | web
deploy web --cascade=orphan | web
pod task --now | task
pod task --now=false | task
pod task --grace-period=5 | task
pod task --grace-period=0 | task
pod task --force | task
pod/task --force --grace-period 0 | task
pod task --force -o=name | task
pod task --force --dry-run=server | task
cm held --timeout=1s | held
cm held --wait=false | held
deploy/web -oname | web
cm a b -i | stdin | y\n
cm/a --interactive | stdin | Y\n
cm a -i | stdin | yes\n
cm a -i | stdin | n\n
cm a -i | stdin | \n
cm a -i | stdin |
cm a -i | stdin | y y\n
secrets --all -i | stdin | y\n
cm a gone -i | stdin | y\n
cm a -i --dry-run=client | stdin | y\n
-f DIR/a.yaml -i | stdin | y\n
-f - | stdin | two.yaml
-f - | stdin |
-f - -i | stdin | a.yaml
-f DIR/explicit.yaml | elsewhere
-f DIR/role.yaml -n NS | role
-f DIR/kindless.yaml | words
-f DIR/broken.yaml | words
-f DIR/unknown-item.yaml | words
cm/a b | words
cm a | nobody-special
cm a b | nobody-special
cm --all | nobody-special
`);

const flowing = (text: string): DeleteCase[] =>
  text.split('|').map((line) => ({ line: line.trim(), objects: usual }));

export const deleteCases: readonly DeleteCase[] = [
  ...flowing(plain),
  ...flowing(refused).map((one) => ({ ...one, otherWords: true })),
  ...more.map(([line = '', what = '', input]) => ({
    line,
    objects: others[what] ?? usual,
    withoutNamespace: what === 'elsewhere',
    otherWords: what === 'words',
    ...(what === 'nobody-special' && { as: what }),
    ...(input !== undefined && { input: manifests[input] ?? input.replaceAll('\\n', '\n') }),
  })),
];

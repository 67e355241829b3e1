/** One command line, given to kubectl and to ours on equal namespaces. `NS` stands for the namespace. */
export interface DeleteCase {
  /** The arguments after `delete`, split at spaces; `DIR` is the folder of `manifests`. */
  readonly line: string;
  /** What stands on stdin. */
  readonly input?: string;
  /** Made first, as `kubectl create -f -`, instead of the usual objects. */
  readonly objects?: readonly object[];
  /** The context's namespace is another one, so that only -n leads to the objects. */
  readonly withoutNamespace?: boolean;
  /** Who asks, as `--as`. */
  readonly as?: string;
  /** Where the words on stderr are ours on purpose: why. */
  readonly otherWords?: string;
}

const configMap = (name: string, labels?: object) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...(labels && { labels }) },
});
const service = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name },
  spec: { ports: [{ port: 80 }] },
});
const deployment = (name: string) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, labels: { app: name } },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: 'main', image: 'example.com/main:1' }] },
    },
  },
});
/** Without pods, so that nothing appears by itself. */
const replicaSet = (name: string) => {
  const { spec, ...rest } = deployment(name);
  return { ...rest, kind: 'ReplicaSet', spec: { ...spec, replicas: 0 } };
};
const held = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'held', finalizers: ['example.com/hold'] },
};
const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'task', labels: { app: 'task' } },
  spec: { containers: [{ name: 'main', image: 'example.com/main:1' }] },
};

/** What every namespace has unless a case says otherwise. */
export const usualObjects: readonly object[] = [
  configMap('a', { app: 'web', tier: 'front' }),
  configMap('b', { app: 'web' }),
  configMap('c'),
  service('a'),
  service('b'),
];

const yaml = (name: string, more = '') =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n${more}`;

/** Files that cases name with `DIR`; `NS` stands for the namespace. */
export const manifests: Readonly<Record<string, string>> = {
  'a.yaml': yaml('a'),
  'two.yaml': `${yaml('b')}---\n# nothing but a comment\n---\n${yaml('a')}`,
  'missing.yaml': `${yaml('a')}---\n${yaml('gone')}---\n${yaml('b')}`,
  'list.yaml':
    'apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Service\n  metadata: {name: b}\n- apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: c}\n',
  'stream.json': `${JSON.stringify(configMap('c'))}\n${JSON.stringify(configMap('a'))}`,
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
  'folder/1.json': JSON.stringify(configMap('b')),
  'folder/readme.txt': 'no manifest',
  'folder/deeper/3.yml': yaml('c'),
  'only-text/readme.txt': 'no manifest',
  'kustomized/kustomization.yaml': 'resources: [a.yaml]\nnamePrefix: ""\n',
  'kustomized/a.yaml': yaml('a'),
  'role.yaml': `apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: NS-role}\n---\n${yaml('a')}`,
};

const role = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name: 'NS-role' },
  rules: [],
};
const mixed = { objects: [role, configMap('a')] };

/** What is named on the command line. */
export const argumentCases: Readonly<Record<string, DeleteCase>> = {
  'TYPE NAME': { line: 'configmap a' },
  'TYPE/NAME': { line: 'configmap/a' },
  'short name': { line: 'cm a' },
  'plural, capitals': { line: 'ConfigMaps a' },
  'type with group': { line: 'deployments.apps/web', objects: [deployment('web')] },
  'type with version and group': { line: 'deployments.v1.apps web', objects: [deployment('web')] },
  'several names': { line: 'cm b a' },
  'several pairs': { line: 'cm/b svc/a cm/a' },
  'types times names': { line: 'cm,svc a b' },
  'the same type twice': { line: 'cm,cm a' },
  'the same name twice': { line: 'cm a a' },
  'one is missing': { line: 'cm a gone b' },
  'all are missing': { line: 'cm gone' },
  'two are missing': { line: 'cm gone lost' },
  'missing, ignored': { line: 'cm gone --ignore-not-found' },
  'missing, ignored, beside another': { line: 'cm gone a --ignore-not-found=true' },
  'in another namespace': { line: 'cm a -n NS', withoutNamespace: true },
  'in a namespace that is not there': { line: 'cm a -n nowhere-at-all' },
  'cluster-scoped': { line: 'clusterrole NS-role', ...mixed },
  'cluster-scoped with -n': { line: 'clusterrole/NS-role cm/a -n NS', ...mixed },
  'cluster-scoped with -A': { line: 'clusterrole NS-role -A', ...mixed },
  'everything of a type': { line: 'cm --all' },
  'everything of two types': { line: 'svc,cm --all' },
  'a category': { line: 'all --all', objects: [service('a'), pod, replicaSet('web')] },
  'a category among types': { line: 'cm,all --all', objects: [service('a'), pod, configMap('a')] },
  'nothing of a type': { line: 'secrets --all' },
  labels: { line: 'cm -l app=web' },
  'labels of two types': { line: 'cm,svc -l app=web' },
  'labels as a set': { line: 'cm --selector tier,app!=db' },
  'no such label': { line: 'cm -l app=none' },
  'a field': { line: 'cm --field-selector metadata.name=b' },
  'fields and labels': { line: 'cm --field-selector metadata.name!=a -l app=web' },
  'labels in all namespaces': {
    line: 'cm -A -l only=NS',
    objects: [configMap('a', { only: 'NS' })],
  },
  'flags before and after': { line: '--wait=false cm -n NS a --timeout 10s' },
  'behind --': { line: '-- cm a' },
};

/** How it is deleted. */
export const optionCases: Readonly<Record<string, DeleteCase>> = {
  'cascade background': { line: 'deploy web --cascade=background', objects: [deployment('web')] },
  'cascade foreground': { line: 'deploy web --cascade=foreground', objects: [deployment('web')] },
  'cascade orphan': { line: 'deploy web --cascade=orphan', objects: [deployment('web')] },
  'cascade alone': { line: 'cm a --cascade' },
  'cascade true': { line: 'cm a --cascade=true' },
  'cascade false': { line: 'cm a --cascade=false' },
  now: { line: 'pod task --now', objects: [pod] },
  'now, false': { line: 'pod task --now=false', objects: [pod] },
  'grace period': { line: 'pod task --grace-period=5', objects: [pod] },
  'grace period 0': { line: 'pod task --grace-period=0', objects: [pod] },
  force: { line: 'pod task --force', objects: [pod] },
  'force and 0': { line: 'pod/task --force --grace-period 0', objects: [pod] },
  'no wait': { line: 'cm a --wait=false' },
  'wait alone': { line: 'cm a --wait' },
  'timeout that is long enough': { line: 'cm a --timeout=1m' },
  'timeout that is too short': { line: 'cm held --timeout=1s', objects: [held] },
  'held, no wait': { line: 'cm held --wait=false', objects: [held] },
  '-o name': { line: 'cm,svc a -o name' },
  '-o name, with group': { line: 'deploy/web -oname', objects: [deployment('web')] },
  '-o name, forced': { line: 'pod task --force -o=name', objects: [pod] },
  'dry run on the client': { line: 'cm a gone --dry-run=client' },
  'dry run on the client, by label': { line: 'cm -l app=web --dry-run=client' },
  'dry run on the client, -o name': { line: 'cm a --dry-run=client -o name' },
  'dry run on the server': { line: 'cm a gone --dry-run=server' },
  'dry run on the server, forced': { line: 'pod task --force --dry-run=server', objects: [pod] },
  'dry run: none': { line: 'cm a --dry-run=none' },
  'dry run alone': { line: 'cm a --dry-run' },
  'dry run, false': { line: 'cm a --dry-run=false' },
  'interactive, y': { line: 'cm a b -i', input: 'y\n' },
  'interactive, Y': { line: 'cm/a --interactive', input: 'Y\n' },
  'interactive, yes': { line: 'cm a -i', input: 'yes\n' },
  'interactive, n': { line: 'cm a -i', input: 'n\n' },
  'interactive, Enter': { line: 'cm a -i', input: '\n' },
  'interactive, no answer': { line: 'cm a -i', input: '' },
  'interactive, more than an answer': { line: 'cm a -i', input: 'y y\n' },
  'interactive, nothing there': { line: 'secrets --all -i', input: 'y\n' },
  'interactive, missing': { line: 'cm a gone -i', input: 'y\n' },
  'interactive, dry run': { line: 'cm a -i --dry-run=client', input: 'y\n' },
  raw: { line: '--raw /api/v1/namespaces/NS/configmaps/gone' },
  'raw, and what it ignores': {
    line: '--raw /api/v1/namespaces/NS/configmaps/gone cm a --cascade=orphan --wait=false -l a=b',
  },
  'raw, a whole URL': { line: '--raw https://example.com/api/v1/namespaces/NS/configmaps/gone' },
  'raw, in a roundabout way': { line: '--raw /api/v1/namespaces/x/../NS/configmaps/gone/' },
  'raw, what the server does not do': { line: '--raw /api/v1/configmaps?labelSelector=a%3Db' },
};

/** What files name. */
export const fileCases: Readonly<Record<string, DeleteCase>> = {
  'a file': { line: '-f DIR/a.yaml' },
  'a file, whatever it is called': { line: '-f DIR/notes.txt' },
  'two documents': { line: '-f DIR/two.yaml' },
  'two files': { line: '-f DIR/two.yaml -f DIR/list.yaml' },
  'two files with a comma': { line: '-f DIR/list.yaml,DIR/a.yaml' },
  'the same object in two files': { line: '-f DIR/a.yaml -f DIR/two.yaml' },
  'a list': { line: '-f DIR/list.yaml' },
  'JSON values in a row': { line: '-f DIR/stream.json' },
  'a missing object': { line: '-f DIR/missing.yaml' },
  'a missing object, ignored': { line: '-f DIR/missing.yaml --ignore-not-found' },
  'a folder': { line: '-f DIR/folder' },
  'a folder with all below': { line: '-R -f DIR/folder' },
  'a pattern': { line: '-f DIR/[al]*.yaml' },
  'labels choose': { line: '-f DIR/labelled.yaml -l app=web' },
  'an address': { line: '-f URL/two.yaml' },
  'an address where nothing is': { line: '-f URL/nothing.yaml' },
  stdin: { line: '-f -', input: manifests['two.yaml'] ?? '' },
  'nothing on stdin': { line: '-f -', input: '' },
  'an empty file': { line: '-f DIR/empty.yaml' },
  'a kustomization': { line: '-k DIR/kustomized' },
  'its own namespace': { line: '-f DIR/explicit.yaml', withoutNamespace: true },
  'another namespace': { line: '-f DIR/elsewhere.yaml -n NS' },
  'another namespace, beside others': { line: '-f DIR/a.yaml -f DIR/elsewhere.yaml -n NS' },
  'a cluster-scoped object': { line: '-f DIR/role.yaml -n NS', ...mixed },
  '-o name': { line: '-f DIR/two.yaml -o name' },
  'dry run': { line: '-f DIR/missing.yaml --dry-run=client' },
  interactive: { line: '-f DIR/a.yaml -i', input: 'y\n' },
  'interactive, stdin is taken': { line: '-f - -i', input: manifests['a.yaml'] ?? '' },
  'an unknown kind': { line: '-f DIR/unknown-kind.yaml' },
  'an unknown kind in a list': { line: '-f DIR/unknown-item.yaml' },
  'a version that is served no more': { line: '-f DIR/old-version.yaml' },
  'no name': { line: '-f DIR/nameless.yaml' },
  'no kind': { line: '-f DIR/kindless.yaml', otherWords: 'kubectl quotes the document' },
  'no YAML behind the first document': {
    line: '-f DIR/broken.yaml',
    otherWords: "kubectl's parser has its own",
  },
};

/** What kubectl refuses. */
export const refusedCases: Readonly<Record<string, DeleteCase>> = {
  nothing: { line: '' },
  'a type alone': { line: 'pods' },
  'two types alone': { line: 'pods,deployments' },
  'an unknown type': { line: 'nonsense a' },
  'an unknown type alone': { line: 'nonsense' },
  'an unknown type in a pair': { line: 'cm/a nonsense/b' },
  'an unknown type in a group': { line: 'nonsense.example.com a' },
  'an unknown type with a selector': { line: 'nonsense --all' },
  'a category and a name': { line: 'all a' },
  'a category in a pair': { line: 'all/a' },
  'name and labels': { line: 'cm a -l app=web' },
  'name and --all': { line: 'cm a --all' },
  'pair and labels': { line: 'cm/a -l app=web' },
  '--all and labels': { line: 'cm --all -l app=web' },
  '--all and fields': { line: 'cm --all --field-selector metadata.name=a' },
  'labels without a type': { line: '-l app=web' },
  '--all without a type': { line: '--all' },
  'names in all namespaces': { line: 'cm a -A' },
  'a pair and a name': {
    line: 'cm/a b',
    otherWords: 'kubectl names itself',
  },
  'two slashes': { line: 'cm/a/b' },
  'no name behind the slash': { line: 'cm/' },
  'no type before the slash': { line: '/a' },
  'files and a type': { line: 'cm -f DIR/a.yaml' },
  'files and a pair': { line: 'cm/a -f DIR/a.yaml' },
  'files and a kustomization': { line: '-f DIR/a.yaml -k DIR/kustomized' },
  'a kustomization, recursive': { line: '-k DIR/kustomized -R' },
  'a missing file': { line: '-f DIR/nowhere.yaml' },
  'two missing files': { line: '-f DIR/nowhere.yaml -f DIR/nowhere.json' },
  'a pattern without a match': { line: '-f DIR/*.nothing' },
  'a folder without manifests': { line: '-f DIR/only-text' },
  'stdin twice': { line: '-f - -f -' },
  'an unknown cascade': { line: 'cm a --cascade=sideways' },
  'cascade in capitals': { line: 'cm a --cascade=Orphan' },
  'now and a grace period': { line: 'pod task --now --grace-period=5' },
  'force and a grace period': { line: 'pod task --force --grace-period=10' },
  'force and now': { line: 'pod task --force --now' },
  'an unknown dry run': { line: 'cm a --dry-run=maybe' },
  'an unknown output': { line: 'cm a -o jsonpath=x' },
  'a grace period in words': { line: 'cm a --grace-period=soon' },
  'a timeout without a unit': { line: 'cm a --timeout=5' },
  'a timeout in words': { line: 'cm a --timeout=soon' },
  'an unknown flag': { line: 'cm a --nonsense' },
  'labels that make no sense': { line: 'cm -l a=b=c' },
  'a field that nobody knows': { line: 'cm --field-selector nonsense=a' },
  'raw and interactive': { line: '--raw /x -i' },
  'raw and two files': { line: '--raw /x -f DIR/a.yaml -f DIR/two.yaml' },
  'raw and an address': { line: '--raw /x -f https://example.com/a.yaml' },
  'raw and recursive': { line: '--raw /x -R' },
  'raw and an output': { line: '--raw /x -o name' },
  'raw and no path': { line: '--raw configmaps/a' },
  'not permitted': { line: 'cm a', as: 'nobody-special' },
  'not permitted, two': { line: 'cm a b', as: 'nobody-special' },
  'not permitted to list': { line: 'cm --all', as: 'nobody-special' },
};

import { named, type ParityRows } from '../kubeconfig-of.ts';

const user = { token: 't' };

/** Which files are read, how they merge, and which entries are picked. */
export const kubeconfigCases: ParityRows = {
  'KUBECONFIG instead of ~/.kube/config': (world) => ({
    user: { token: 'home' },
    files: { a: named(world, 'a') },
    env: { KUBECONFIG: 'a' },
  }),
  'KUBECONFIG, same names: the first file wins': (world) => ({
    files: { a: named(world, 'a'), b: named(world, 'b') },
    env: { KUBECONFIG: 'a:b' },
  }),
  'KUBECONFIG, current-context: the first that is set': (world) => ({
    files: {
      a: { users: [{ name: 'user', user: { token: 'a' } }] },
      b: { ...named(world, 'b'), 'current-context': 'other' },
      c: {
        contexts: [{ name: 'other', context: { cluster: 'cluster', user: 'user' } }],
        'current-context': 'context',
      },
    },
    env: { KUBECONFIG: 'a:b:c' },
  }),
  'KUBECONFIG, an entry is never merged field by field': (world) => ({
    files: {
      a: { users: [{ name: 'user', user: { as: 'ann' } }] },
      b: named(world, 'b'),
    },
    env: { KUBECONFIG: 'a:b' },
    options: { token: 'flag' },
  }),
  'KUBECONFIG with missing and repeated files': (world) => ({
    files: { a: named(world, 'a') },
    env: { KUBECONFIG: 'no:a::a:nowhere/b' },
  }),
  'KUBECONFIG, paths belong to their file': (world) => ({
    files: {
      'one/a': { users: [{ name: 'user', user: { tokenFile: 'token' } }] },
      'one/token': 'one',
      'two/b': named(world, 'b'),
      'two/token': 'two',
    },
    env: { KUBECONFIG: 'one/a:two/b' },
  }),
  'KUBECONFIG, all missing': { env: { KUBECONFIG: 'no:nowhere' } },
  'KUBECONFIG with an unreadable file': (world) => ({
    files: { a: named(world, 'a'), 'b/file': '' },
    env: { KUBECONFIG: 'a:b' },
  }),
  'no kubeconfig at all': {},
  'empty kubeconfig': { files: { '.kube/config': '' } },
  'empty kubeconfig beside a full one': (world) => ({
    files: { empty: '', a: named(world, 'a') },
    env: { KUBECONFIG: 'empty:a' },
  }),
  'kubeconfig of comments': { files: { '.kube/config': '# nothing\n\n' } },
  'two documents: the first counts': (world) => ({
    files: {
      '.kube/config': `${JSON.stringify(named(world, 'a'))}\n---\n${JSON.stringify(named(world, 'b'))}\n`,
    },
  }),
  'anchors and merge keys': ({ http }) => ({
    files: {
      '.kube/config': `
x-base: &base
  server: ${http.url}
clusters:
- name: c
  cluster:
    <<: *base
contexts:
- name: x
  context: {cluster: c}
current-context: x
`,
    },
  }),
  'list that is text': { files: { '.kube/config': 'clusters: hello' } },
  'not YAML': { files: { '.kube/config': 'clusters: [' } },
  'not a mapping': { files: { '.kube/config': 'hello' } },
  'another kind': { files: { '.kube/config': { apiVersion: 'v1', kind: 'Pod' } } },
  'another version': { files: { '.kube/config': { apiVersion: 'v2', kind: 'Config' } } },
  'token that is a number': { user: { token: 1234 } },
  'name that is there twice': (world) => ({
    files: {
      '.kube/config': named(world, 'a', {
        users: [
          { name: 'user', user: { token: 'a' } },
          { name: 'user', user: { token: 'b' } },
        ],
      }),
    },
  }),
  'fields set to null': {
    user: { token: 't', 'as-groups': null, exec: null },
    cluster: { 'proxy-url': null },
  },
  '--kubeconfig over KUBECONFIG': (world) => ({
    files: { a: named(world, 'a'), 'sub/b': named(world, 'b') },
    env: { KUBECONFIG: 'a' },
    options: { kubeconfig: 'sub/b' },
  }),
  '--kubeconfig of a missing file': { user, options: { kubeconfig: 'no' } },
  '--context': (world) => ({
    files: {
      '.kube/config': named(world, 'a', {
        users: [{ name: 'other', user: { token: 'other' } }],
        contexts: [{ name: 'second', context: { cluster: 'cluster', user: 'other' } }],
        'current-context': 'gone',
      }),
    },
    options: { context: 'second' },
  }),
  '--user': (world) => ({
    files: {
      '.kube/config': named(world, 'a', {
        users: [
          { name: 'user', user: { token: 'a' } },
          { name: 'other', user: { token: 'other' } },
        ],
      }),
    },
    options: { user: 'other' },
  }),
  '--cluster without a context': ({ http }) => ({
    files: { '.kube/config': { clusters: [{ name: 'c', cluster: { server: http.url } }] } },
    options: { cluster: 'c' },
  }),
  'unknown --context': { user, options: { context: 'no' } },
  'unknown --cluster': { user, options: { cluster: 'no' } },
  'unknown --user': { user, options: { user: 'no' } },
  'unknown current-context': (world) => ({
    files: { '.kube/config': named(world, 'a', { 'current-context': 'gone' }) },
  }),
  'context with an unknown cluster, --server': (world) => ({
    files: {
      '.kube/config': { ...named(world, 'a'), clusters: [] },
      'ca.crt': world.authority.certificate,
    },
    options: { server: world.tls.url, 'certificate-authority': 'ca.crt' },
  }),
};

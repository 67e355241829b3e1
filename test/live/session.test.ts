import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { maxSockets } from '../../src/cluster/connection/create-agent.ts';
import { commands } from '../../src/commands/index.ts';
import { kubeconfig } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { gc } from '../support/run-gc.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { startWatching } from '../support/watching.ts';
import { isWatch, proxyOfFile } from './proxy.ts';

/** A command logs in once and asks once what is served, however many of its readers need the cluster. */
const plane = sharedControlPlane();
const folder = temporaryFolder();
const inFolder = (name: string) => join(folder, name);
const namespace = 'sessions';
const node = 'session-node';
const [runs, reads, logins] = [inFolder('runs'), inFolder('reads'), inFolder('kubeconfig.json')];
const proxy = await proxyOfFile(plane, { isSecure: true });

/** Writes down each time that the kubeconfig is read. */
const recorder = inFolder('recorder.cjs');
writeFileSync(
  recorder,
  `const fs = require('node:fs');
  const { readFileSync } = fs;
  fs.readFileSync = (file, ...rest) => {
    if (file === process.env.KUBECONFIG) fs.appendFileSync(${JSON.stringify(reads)}, 'read\\n');
    return readFileSync(file, ...rest);
  };
  require('node:module').syncBuiltinESMExports();`,
);

/** A credential plugin that writes down each of its runs, and takes `seconds` for one. */
function plugin(name: string, seconds: number): string {
  const credential = JSON.stringify({
    apiVersion: 'client.authentication.k8s.io/v1',
    kind: 'ExecCredential',
    status: { token: plane.adminToken },
  });
  const path = inFolder(name);
  const script = `#!/bin/sh\necho run >> ${runs}\nsleep ${seconds}\necho '${credential}'\n`;
  writeFileSync(path, script, { mode: 0o700 });
  return path;
}

function writeLogin(path: string, command: string): void {
  const config = JSON.parse(kubeconfig({ ...plane, server: proxy.address }, { token: '' }));
  const apiVersion = 'client.authentication.k8s.io/v1';
  config.users = [
    { name: 'user', user: { exec: { apiVersion, command, interactiveMode: 'Never' } } },
  ];
  writeFileSync(path, JSON.stringify(config));
}

beforeAll(async () => {
  writeLogin(logins, plugin('login.sh', 0));
  await plane.make(`Namespace ${namespace}`);
  await plane.make(`Node ${node}`);
  await plane.report(`Node ${node}`, { conditions: [{ type: 'Ready', status: 'True' }] });
  await plant();
  const { stderr } = await gc(
    `delete cm/sessions-root -n ${namespace} --yes --backup ${inFolder('backup')}`,
    { env: { KUBECONFIG: plane.kubeconfigPath } },
  );
  if (!stderr.includes(inFolder('backup'))) throw new Error(stderr);
});
afterAll(async () => {
  await plane.remove(`Node ${node}`);
  await plane.remove(`Namespace ${namespace}`);
});

/** What the commands of the table look at and delete, where it is not there: an owner and its dependent. */
async function plant(): Promise<void> {
  const root = `ConfigMap ${namespace}/sessions-root`;
  const labels = { app: 'session' };
  if (!(await plane.find(root))) await plane.make(root, { metadata: { labels } });
  const { metadata } = await plane.get(root);
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'sessions-root', uid: metadata.uid };
  const child = { name: 'child', ownerReferences: [owner] };
  if (!(await plane.find(`ConfigMap ${namespace}/child`)))
    await plane.make(`ConfigMap ${namespace}/child`, { metadata: child });
  const manifest = { apiVersion: 'v1', kind: 'ConfigMap', metadata: child };
  writeFileSync(inFolder('child.json'), JSON.stringify(manifest));
}

const where = `-n ${namespace}`;
const raw = `--raw /api/v1/namespaces/${namespace}/configmaps/sessions-root`;

/** What is read of a fixed kind needs no discovery. */
const direct = `
owners cm/child HERE | forecast --collector image-gc | settings | images ${node} | containers ${node} | delete ${raw}`;

/** In this order: a plan that one line saves is looked at and performed by others. */
const discovering = `
owners gadget/none | tree cm/sessions-root HERE | orphans HERE | deleted HERE | invalid-ownerrefs HERE |
invalid-ownerrefs HERE --fix --dry-run | audit HERE --fail-on never | audit -A --fail-on never --allow-incomplete |
audit HERE --from DIR/child.json --against-cluster --fail-on never | report --fail-on never --allow-incomplete |
status HERE | policies | forecast | forecast --collector image-gc,container-gc,csr-cleaner --within 7d |
forecast HERE --collector csr-cleaner --apply --dry-run=client |
forecast HERE --collector garbage-collector,csr-cleaner --apply --yes | podgc-preview HERE |
podgc-preview HERE --apply --dry-run=client | podgc-preview HERE --apply --yes |
simulate --delete cm/sessions-root HERE | why cm/sessions-root HERE | why -f DIR/child.json HERE |
why cm/sessions-root HERE --fix --dry-run | why --gc | why --gc --canary HERE | snapshot save - |
snapshot save DIR/saved.json.gz HERE | snapshot diff DIR/saved.json.gz HERE |
delete cm/sessions-root HERE --dry-run=server | delete cm/sessions-root HERE --preview |
delete cm/sessions-root HERE --compare | delete cm/sessions-root HERE --plan DIR/plan.json |
delete --plan DIR/plan.json --preview | delete --plan DIR/plan.json --yes |
delete cm/sessions-root HERE --yes --backup DIR/backup-2 | delete cm -l app=session HERE --interactive |
delete -f DIR/child.json HERE --cascade=foreground | restore DIR/backup --preview |
restore DIR/backup --dry-run=server | restore DIR/backup --yes |
restore --from DIR/child.json HERE -o yaml --dry-run=client`;

const table = [direct, discovering].flatMap((text, discoveries) =>
  text.split('|').map((line) => {
    const filled = line.trim().replace('HERE', where).replaceAll('DIR', folder);
    return { line: filled, discoveries };
  }),
);

/** These make one snapshot, and ask about it. */
const looking = /^(orphans|invalid-ownerrefs|audit|forecast)\b(?!.* --(apply|fix))/;

function linesIn(path: string): number {
  return readFileSync(path, 'utf8').split('\n').length - 1;
}

beforeEach(async () => {
  await plant();
  proxy.forget();
  for (const path of [runs, reads]) writeFileSync(path, '');
});

test.each(table)('$line', async ({ line, discoveries }) => {
  // What is to be restored is not there.
  if (/^restore .* --yes/.test(line))
    for (const name of ['sessions-root', 'child'])
      await plane.remove(`ConfigMap ${namespace}/${name}`);
  const env = { KUBECONFIG: logins, NODE_OPTIONS: `--require ${recorder}` };
  const run = await gc(line, { env, input: 'y\n' });
  const code = line.endsWith('/none') ? 3 : 0;
  const { stderr } = run;
  expect({ code: run.code, stderr }).toEqual({ code, stderr });
  const paths = proxy.requests.map(({ path }) => path.replace(/\?.*/, ''));
  const asked = (path: string) => paths.filter((one) => one === path).length;
  expect({
    pluginRuns: linesIn(runs),
    kubeconfigReads: linesIn(reads),
    discoveries: [asked('/api'), asked('/apis')],
  }).toEqual({ pluginRuns: 1, kubeconfigReads: 1, discoveries: [discoveries, discoveries] });
  // What only looks reads nothing twice.
  if (looking.test(line)) {
    const gets = proxy.requests.filter(({ method }) => method === 'GET').map(({ path }) => path);
    expect(gets.filter((path, index) => gets.indexOf(path) < index)).toEqual([]);
  }
  // One pool of connections: those of another client would come on top of what it may open. A watch keeps
  // its connection, and must leave as many for other requests.
  expect(proxy.connections).toBeGreaterThan(0);
  expect(proxy.connections).toBeLessThanOrEqual(maxSockets + proxy.requests.filter(isWatch).length);
});

// A restoration brings the files to the cluster, and such an audit compares them with it.
const besideFiles = /^restore |--against-cluster/;

test.each(table.filter(({ line }) => !besideFiles.test(line)))(
  '$line --from FILE contacts no cluster, without a login',
  async ({ line }) => {
    const run = await gc(`${line} --from ${inFolder('child.json')}`, {
      env: { KUBECONFIG: logins },
      input: 'y\n',
    });
    const { stderr } = run;
    expect({ pluginRuns: linesIn(runs), asked: proxy.requests, stderr }).toEqual({
      pluginRuns: 0,
      asked: [],
      stderr,
    });
    // A plan that was made on a cluster cannot be performed on files.
    if (line.includes('--plan') && line.includes('--yes')) expect(run.code, stderr).toBe(2);
  },
);

const object = (name: string) => `/api/v1/namespaces/${namespace}/configmaps/${name}`;
const discovery = ['/api', '/apis', '/version'];
const planning = [
  ...discovery,
  object('sessions-root'),
  // Whose uid tells one cluster from another.
  '/api/v1/namespaces/kube-system',
  // The flags of kube-controller-manager, by which its controllers decide.
  '/api/v1/namespaces/kube-system/pods',
];
/** May it be deleted? */
const review = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';

/** Would the API server refuse it? A dry run, and who may refuse what goes along. */
const judging = [
  object('sessions-root'),
  `/api/v1/namespaces/${namespace}`,
  ...[
    'mutatingwebhookconfigurations',
    'validatingadmissionpolicies',
    'validatingadmissionpolicybindings',
    'validatingwebhookconfigurations',
  ].map((resource) => `/apis/admissionregistration.k8s.io/v1/${resource}`),
];

interface Needs {
  /** Each request that is no list of the namespace. */
  readonly others: readonly string[];
  /** Lists that are asked for more than once. */
  readonly again?: Readonly<Record<string, number>>;
  /** Of all answers; discovery is 45 kB of a server without custom resources. */
  readonly bytes: number;
}

test.each<[string, Needs]>([
  [`owners cm/child ${where}`, { others: ['child', 'sessions-root'].map(object), bytes: 2_000 }],
  [`__complete tree ${where} cm/`, { others: [], bytes: 2_000 }],
  ['__complete tree deplo', { others: discovery, bytes: 100_000 }],
  [`tree cm/sessions-root ${where}`, { others: discovery, bytes: 110_000 }],
  [
    `delete cm/sessions-root ${where} --preview`,
    { others: [...planning, ...judging, review], bytes: 120_000 },
  ],
  [
    `delete cm/sessions-root ${where} --yes --no-backup`,
    {
      // The deletion is watched: the watch goes on from the list of the plan.
      others: [...planning, review, object('sessions-root')],
      again: { configmaps: 2 },
      bytes: 120_000,
    },
  ],
])('%s sends its requests alone', async (line, { others, again = {}, bytes }) => {
  const { code } = await gc(line, { env: { KUBECONFIG: logins } });
  expect(code).toBe(0);
  const listed = (path: string) => new RegExp(`/namespaces/${namespace}/(\\w+)$`).exec(path)?.[1];
  const paths = proxy.requests.map(({ path }) => path.replace(/\?.*/, ''));
  const lists = Map.groupBy(
    paths.flatMap((path) => listed(path) ?? []),
    String,
  );
  const repeated = [...lists].filter(([, all]) => all.length > 1);
  expect({
    others: paths.filter((path) => listed(path) === undefined).sort(),
    again: Object.fromEntries(repeated.map(([kind, all]) => [kind, all.length])),
  }).toEqual({ others: [...others].sort(), again });
  expect(proxy.bytes).toBeLessThan(bytes);
});

test('a deletion asks together for discovery, for its object, and for the cluster', async () => {
  const paths = /^\/apis?$|^\/api\/v1\/namespaces\/(kube-system|.*\/sessions-root)$/;
  const asked = () => proxy.requests.filter(({ path }) => paths.test(path)).length;
  // Each is answered when all were asked.
  proxy.before = async ({ path }) => {
    if (paths.test(path)) await eventually(path, async () => asked() >= 4);
  };
  const { code, stderr } = await gc(`delete cm/sessions-root ${where} --yes --no-backup`, {
    env: { KUBECONFIG: logins },
  });
  proxy.before = () => undefined;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
});

test('the table has every command that asks a cluster', () => {
  // `completion` prints a script: the shell's questions go another way.
  const offline = 'backups completion options rbac snapshot:export snapshot:info version'.split(
    ' ',
  );
  // These ask again what is served as long as they run: of each kind that they watch, or for each call of a tool.
  const others = new Set([...offline, 'guard', 'mcp', 'run-controllers', 'view']);
  const asking = Object.keys(commands).filter((id) => !others.has(id));
  const tried = table.map(({ line }) => line.replace('snapshot ', 'snapshot:').split(' ')[0]);
  expect([...new Set(tried)].sort()).toEqual(asking.sort());
});

test.each([
  `delete cm/sessions-root ${where} --yes`,
  `forecast --collector csr-cleaner --apply --yes --settings ${inFolder('settings.yaml')}`,
])('Ctrl-C during a login ends %s, and the plugin runs once', async (line) => {
  writeFileSync(inFolder('settings.yaml'), 'terminatedPodGCThreshold: 100\n');
  const slow = inFolder('slow.json');
  writeLogin(slow, plugin('slow.sh', 3));
  const command = startWatching(line, { KUBECONFIG: slow });
  await eventually('the plugin runs', async () => linesIn(runs) === 1);
  expect(await command.end()).toEqual({
    code: 130,
    stdout: '',
    stderr: 'error: interrupted\n  Nothing was sent.\n',
  });
  expect([linesIn(runs), proxy.requests]).toEqual([1, []]);
});

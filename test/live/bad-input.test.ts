import { beforeAll, expect, test } from 'vitest';
import type { Run } from '../support/command-line.ts';
import { gc } from '../support/run-gc.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';
import { proxyOfFile } from './proxy.ts';

/** What goes wrong on a real API server: told on stderr, with the right exit code and no request too many. */
const plane = sharedControlPlane();
const namespace = 'bad-input';
const proxy = await proxyOfFile(plane);

beforeAll(async () => {
  for (const name of [namespace, 'bad-input-2']) {
    await plane.create('/api/v1/namespaces', { metadata: { name } });
    await plane.create(`/api/v1/namespaces/${name}/configmaps`, { metadata: { name: 'settings' } });
  }
});

/** Commands that are printed name the server. */
async function ask(line: string): Promise<Run> {
  proxy.forget();
  const env = { KUBECONFIG: plane.kubeconfigPath };
  const run = await gc(`${line} -s ${proxy.address}`, { env });
  return { ...run, stderr: run.stderr.replaceAll(`--server ${proxy.address}`, '--server SERVER') };
}

function refusal(code: number, message: string, ...hints: string[]): Run {
  const lines = [`error: ${message}`, ...hints.map((hint) => `  ${hint}`)];
  return { code, stdout: '', stderr: `${lines.join('\n')}\n` };
}

/** Lists of objects; discovery and GETs of one object are not among them. */
function lists(): string[] {
  const paths = proxy.requests.map(({ path }) => path.replace(/\?.*/, ''));
  return paths.filter((path) =>
    /^\/(api\/v1|apis\/[^/]+\/[^/]+)\/(namespaces\/[^/]+\/)?[a-z]+$/.test(path),
  );
}

const beforeAnything: readonly [string, Run][] = [
  [
    'orphans -A -o xml',
    refusal(
      2,
      'unable to match a printer suitable for the output format "xml"',
      'Allowed formats are: table, wide, json, yaml, name, html.',
    ),
  ],
  [
    'tree cm -A --now today',
    refusal(2, '--now "today" is not a time', 'Write it as RFC 3339: 2026-01-31T12:00:00Z.'),
  ],
  [
    'invalid-ownerrefs -A -l a=(',
    refusal(
      2,
      'unable to parse requirement "a=(" of label selector "a=("',
      "Write it as kubectl does: -l 'app=web,tier in (a,b),!canary'.",
    ),
  ],
  [
    'snapshot save /nowhere/cluster.json',
    refusal(
      3,
      'cannot write /nowhere/cluster.json: there is no such folder',
      'Nothing was saved. Name a file in a folder you may write to.',
    ),
  ],
  [
    'orphans --context production',
    refusal(2, 'context "production" does not exist in the kubeconfig', 'Choose one of: test.'),
  ],
];

test.each(beforeAnything)('%s is refused before anything is asked', async (line, refused) => {
  expect(await ask(line)).toEqual(refused);
  expect(proxy.requests).toEqual([]);
});

const beforeLists: readonly [string, Run][] = [
  [
    'tree deploymnets/web',
    refusal(
      2,
      'the server doesn\'t have a resource type "deploymnets"',
      'Did you mean deployments.apps?',
    ),
  ],
  [
    'orphans frobs -A',
    refusal(
      2,
      'the server doesn\'t have a resource type "frobs"',
      'See: kubectl api-resources --server SERVER',
    ),
  ],
  [
    'owners frobs/x',
    refusal(
      2,
      'the server doesn\'t have a resource type "frobs"',
      'See: kubectl api-resources --server SERVER',
    ),
  ],
  [
    'tree configmap/settings -l app=web',
    refusal(2, 'name cannot be provided when a selector is specified'),
  ],
  [
    'invalid-ownerrefs configmap/settings',
    refusal(
      2,
      'this command takes kinds, not names: configmap/settings',
      'To look at one object: kubectl gc owners configmap/settings --server SERVER',
    ),
  ],
  [
    'tree',
    refusal(
      2,
      'You must provide one or more objects by argument or filename: TYPE/NAME or TYPE NAME.',
      'For example: kubectl gc tree deployment/web',
    ),
  ],
  [
    'owners configmaps',
    refusal(
      2,
      'resource(s) were provided, but no name was specified',
      'On a cluster, owners looks up single objects: name each as TYPE/NAME.',
    ),
  ],
  [
    `owners configmap/settingz -n ${namespace}`,
    refusal(3, `configmaps "settingz" not found in namespace ${namespace}`),
  ],
];

test.each(beforeLists)('%s is refused before anything is listed', async (line, refused) => {
  expect(await ask(line)).toEqual(refused);
  expect(lists()).toEqual([]);
});

test('an object that is not there', async () => {
  expect(await ask(`tree configmap/settingz -n ${namespace}`)).toEqual(
    refusal(
      3,
      `configmaps "settingz" not found in namespace ${namespace}`,
      'Did you mean settings?',
    ),
  );
});

test('an object that is in several namespaces', async () => {
  const { code, stdout, stderr } = await ask('tree configmap/settings -A');
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(/^error: configmaps "settings" is in \d+ namespaces: .*bad-input/);
});

test('a server that hangs', async () => {
  proxy.before = () => new Promise(() => undefined);
  const { code, stdout, stderr } = await ask('orphans --request-timeout 500ms');
  expect([code, stdout]).toEqual([3, '']);
  expect(stderr).toBe(`error: the API server ${proxy.address} did not answer within 500 ms
  Check the network and the VPN, or allow more time with --request-timeout.
`);
});

test('a list that cannot be had is a gap, and spoils nothing else', async () => {
  proxy.before = ({ path }) => {
    if (path.startsWith(`/api/v1/namespaces/${namespace}/configmaps`)) throw new Error('dropped');
  };
  const { code, stdout, stderr } = await ask(`orphans -n ${namespace} -o json`);
  const { coverage, items } = JSON.parse(stdout);
  expect([code, coverage.complete, items]).toEqual([0, false, []]);
  expect(coverage.problems.map((problem: { resource: string }) => problem.resource)).toEqual([
    'configmaps',
  ]);
  expect(stderr).toBe(
    `Warning: ${coverage.problems[0].message}\nNo orphans found in ${namespace} namespace in what could be read.\n`,
  );
});

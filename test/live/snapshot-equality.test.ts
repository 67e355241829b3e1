import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OrphansReport } from '../../src/questions/orphans/document.ts';
import { namespace } from '../support/blockade.ts';
import { blockades } from '../support/blockades.ts';
import type { Run } from '../support/command-line.ts';
import type { ControlPlane } from '../support/control-plane.ts';
import { permit } from '../support/permissions.ts';
import { gcHere } from '../support/run-here.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { ownershipFaults } from './ownership-faults.ts';
import { ProxiedNodes } from './proxied-nodes.ts';

/** A cluster with faults of every kind, and a snapshot that was saved of it. */
const folder = temporaryFolder();
const saved = join(folder, 'cluster.json.gz');
/** The clock of all answers: nothing that was made for the test is young any more. */
const clock = new Date(Date.now() + 3_600_000).toISOString();
let nodes: ProxiedNodes;
let plane: ControlPlane;

const manager = 'kube-controller-manager';

beforeAll(async () => {
  // The server's own Lease would change from one reading to the next.
  const gates = 'APIServerIdentity=false,UnknownVersionInteroperabilityProxy=false';
  nodes = await ProxiedNodes.start(folder, `--feature-gates=${gates}`);
  plane = nodes.plane;
  const lastTransitionTime = '2026-01-01T00:00:00Z';
  const ready = { type: 'Ready', status: 'True', reason: 'KubeletReady', lastTransitionTime };
  const status = { conditions: [ready], nodeInfo: { kubeletVersion: 'v1.36.3' } };
  const hush = { staticPodURLHeader: { Authorization: ['hush'] } };
  for (const name of ['kept-1', 'kept-2']) {
    const isFirst = name === 'kept-1';
    const settings = isFirst ? { ...hush, imageGCHighThresholdPercent: 100 } : hush;
    const kubelet = { settings, availableGiB: 5, hasPod: isFirst, started: 1767225600 };
    await nodes.add(name, name, kubelet, status);
  }
  // Thousands of objects of a kind would only take longer.
  const faults = ownershipFaults.objects.filter(
    ({ metadata: { name, namespace: space } }) =>
      space !== 'piles' && !String(name).startsWith('crowd'),
  );
  const objects = [...blockades.flatMap((blockade) => blockade.objects), ...faults];
  const spaces = new Set(objects.flatMap(({ metadata }) => (metadata.namespace as string) ?? []));
  const own = new Set(
    objects.flatMap(({ kind, metadata }) => (kind === 'Namespace' ? metadata.name : [])),
  );
  const made = [...spaces].filter((space) => space !== 'kube-system' && !own.has(space));
  await plane.putObjects([...made.map((space) => namespace(space)), ...objects]);
  await plane.make(`Pod kube-system/${manager}`, {
    metadata: { labels: { component: manager } },
    spec: {
      nodeName: 'kept-1',
      containers: [
        {
          name: manager,
          image: `registry.k8s.io/${manager}:v1.36.3`,
          command: [manager, '--terminated-pod-gc-threshold=1', '--cloud-config=hush'],
          env: [{ name: 'TOKEN', value: 'hush' }],
        },
      ],
    },
  });
  await plane.make('Secret default/private', { stringData: { password: 'hush' } });
  await save();
});

afterAll(() => nodes?.stop());

const run = (line: string, kubeconfig = plane.kubeconfigPath) =>
  gcHere(line, { KUBECONFIG: kubeconfig, NO_COLOR: '1' });

async function save(line = `${saved} --force --nodes`, kubeconfig = plane.kubeconfigPath) {
  const { code, stderr } = await run(`snapshot save ${line}`, kubeconfig);
  expect([code, stderr]).toEqual([0, expect.stringMatching(/Saved \d+ objects to /)]);
  return stderr;
}

/**
 * An answer without what differs from one reading to the next, or says where the objects were read: times of
 * reading, how long it took, and the snapshot that is named in printed commands.
 */
function comparable({ code, stdout, stderr }: Run) {
  return { code, stdout: told(stdout), stderr: withoutInput(stderr) };
}

/** Text whose commands do not name the snapshot and its clock: they print the flags of their call. */
function withoutInput(text: string): string {
  return text
    .replaceAll(` --from ${saved} --now ${clock}`, '')
    .replaceAll(` --from ${saved}`, '')
    .replaceAll(` --from=${saved}`, '');
}

function told(output: string): unknown {
  const stdout = withoutInput(output);
  if (stdout.startsWith('{'))
    return JSON.parse(stdout, (key, value) => {
      if (unlike.has(key) || readTwice.has(key)) return undefined;
      if (key === 'because') return String(value).replace(hindrance, '');
      return key === 'when' && value === 'overdue' ? 'on the next pass' : value;
    });
  return stdout
    .replace(/^kubectl_gc_report_(last_success_timestamp|duration)_seconds .*$/gm, '')
    .replace(/^.*kubectl_gc_(overdue_objects|oldest_overdue_seconds) .*\n/gm, '');
}

const unlike = new Set(['readAt', 'observedAt', 'observedFrom', 'at', 'place']);
/** Why the garbage collector has not deleted what is overdue. */
const hindrance = /; kube-controller-manager has no leader$/;
/** A cluster is read again to see what the garbage collector did; a snapshot cannot be. */
const readTwice = new Set(['garbageCollector', 'overdue']);

/** Both answers, at the same time of the clock. */
async function both(line: string) {
  const live = await run(`${line} --now ${clock}`);
  const offline = await run(`${line} --now ${clock} --from ${saved}`);
  return { live, offline };
}

/** Every other format is made of the document. */
const asked = `
orphans -A | invalid-ownerrefs -A | audit -A --no-config | forecast --within 7d |
forecast --collector image-gc | settings | settings kept-1 | settings -l pool=kept-2 | settings --collector image-gc |
images --all | images kept-1 | images -l pool=kept-2 | containers --all | containers kept-1 |
simulate --delete deployment/web -n b08 | snapshot diff ${saved} | tree namespace/b08`;

test.each(['report --fail-on never', ...asked.split('|').map((line) => `${line.trim()} -o json`)])(
  '%s: the answers are equal',
  async (line) => {
    const { live, offline } = await both(line);
    expect(live.stdout).not.toBe('');
    expect(comparable(offline)).toEqual(comparable(live));
  },
);

test('orphans -A --unmanaged: the answers are equal, but for users that a snapshot does not contain', async () => {
  const { live, offline } = await both('orphans -A --unmanaged -o json');
  const withoutUse = ({ stdout }: Run) =>
    JSON.parse(JSON.stringify(told(stdout), (key, value) => (key === 'use' ? undefined : value)));
  expect(withoutUse(offline)).toEqual(withoutUse(live));
  const statesOf = ({ stdout }: Run) =>
    (JSON.parse(stdout) as OrphansReport).items.map(({ use }) => use?.state);
  const known = statesOf(live);
  expect(known).toContain('none-found');
  const differing = statesOf(offline).filter((state, at) => state !== known[at]);
  expect(new Set(differing)).toEqual(new Set(['unknown']));
});

test.each([
  'orphans -n b15',
  'invalid-ownerrefs -n faults',
  'tree deployment/web -n b08',
  'owners configmap/leaf -n b08',
  'owners configmap/web-1 -n faults',
  'podgc-preview --threshold 1',
  'podgc-preview -n b20',
])('%s, which reads less of a cluster: the answers are equal', async (line) => {
  const { live, offline } = await both(`${line} -o json`);
  const withoutCoverage = ({ stdout, code }: Run) => ({
    code,
    ...(told(stdout) as object),
    coverage: 0,
  });
  expect(withoutCoverage(offline)).toEqual(withoutCoverage(live));
});

/** An answer of `why` without its dry runs, of which a snapshot can only say that none was made. */
function withoutDryRuns({ stdout, code }: Run) {
  let dryRuns = 0;
  const isDryRun = ({ what = '' }: { readonly what?: string }) => what.startsWith('server dry run');
  const document = JSON.parse(withoutInput(stdout), (key, value) => {
    if (unlike.has(key) || key === 'coverage' || key === 'overdue') return undefined;
    // A cluster is read again to see what the garbage collector did; a snapshot cannot be.
    if (value?.id === 'garbage') return undefined;
    if (key !== 'evidence' || !Array.isArray(value)) return value;
    const others = value.filter((one: object) => !isDryRun(one));
    dryRuns += value.length - others.length;
    return others;
  });
  const text = JSON.stringify(document, undefined, 1).replaceAll(', as far as is known', '');
  return { code, dryRuns, text };
}

const whyLines = [
  'why -A',
  'why -n b22',
  'why deployment/acme-operator -n b02',
  'why node/kept-1',
  ...blockades.map(({ ask }) => `why ${ask}`),
];

test.each(whyLines)('%s: the chain is the same', async (line) => {
  const { live, offline } = await both(`${line} -o json`);
  const found = withoutDryRuns(offline);
  expect(found).toEqual(withoutDryRuns(live));
  const { coverage } = JSON.parse(offline.stdout);
  const unsent = coverage.problems.filter(({ message }: { message: string }) =>
    message.includes('a file cannot be asked for a server dry run'),
  );
  if (!line.startsWith('why -')) expect(unsent.length > 0).toBe(found.dryRuns > 0);
});

test('nothing private is saved', () => {
  const text = gunzipSync(readFileSync(saved)).toString();
  expect(text).toContain('terminated-pod-gc-threshold');
  expect(text).not.toMatch(/hush|aHVza/);
});

test('a small snapshot says what it does not hold', async () => {
  const small = join(folder, 'small.json');
  await save(`${small} --metadata-only`);
  const ask = async (line: string) => (await run(`${line} --from ${small}`)).stderr;
  expect(await ask('settings')).toContain('settings of the cluster');
  expect(await ask('images --all')).toContain('what kubelets know');
  expect(await ask('why --gc')).toContain('whether its garbage collector works');
  expect(await ask('forecast')).toContain('Of pods');
  // Of a claim that pods use, nothing is taken off.
  const claim = await run(`why pvc/data -n b22 --fix --from ${small}`);
  expect([claim.code, claim.stderr]).toEqual([
    3,
    expect.stringContaining('what it protects is in use'),
  ]);
});

test('without --nodes, that kubelets were not asked is said', async () => {
  const without = join(folder, 'without.json');
  await save(without);
  const { stderr } = await run(`settings --from ${without}`);
  expect(stderr).toContain('kubelets were not asked');
});

test('a user who may list objects and nothing else gets a snapshot, and a list of what it lacks', async () => {
  await permit(plane, 'lister', [{ apiGroups: ['*'], resources: ['*'], verbs: ['list'] }]);
  const limited = join(folder, 'limited.json');
  const kubeconfig = await plane.kubeconfigFor({ user: 'lister' });
  const stderr = await save(`${limited} --nodes`, kubeconfig);
  expect(stderr).toContain('nodes/proxy');
  const settings = await run(`settings --from ${limited}`);
  expect([settings.code, settings.stderr.split(', kept-2')[0]]).toEqual([
    0,
    'Warning: cannot ask the kubelet of nodes kept-1',
  ]);
  const gc = await run(`why --gc --from ${limited}`);
  expect(gc.stdout).toContain('could not be asked');
});

test('with an API and a conversion webhook that do not answer, too', async () => {
  await ownershipFaults.breakCluster(plane);
  await save();
  for (const line of ['audit -A --no-config --fail-on never', 'why --gc', 'why namespace/b32']) {
    const { live, offline } = await both(`${line} -o json`);
    // A list in a namespace is refused in other words than one in all.
    const inWords = ({ text, ...rest }: ReturnType<typeof withoutDryRuns>) => ({
      ...rest,
      text: text
        .replace(/(cannot list books\.faults\.example\.com) in [a-z0-9-]+/g, '$1')
        .replace(/storage is \(re\)initializing: (failed to list \S+, Kind=Book: )?/g, ''),
    });
    expect(inWords(withoutDryRuns(offline))).toEqual(inWords(withoutDryRuns(live)));
  }
  // Until then the API server does not end.
  await ownershipFaults.mendCluster(plane);
});

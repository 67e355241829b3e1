import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import { ownControlPlane } from '../support/own-control-plane.ts';
import { permit } from '../support/permissions.ts';
import { bareEnvironment, bin, gc } from '../support/run-gc.ts';
import { undoFolder, undoLine, withoutFolder } from '../support/undo-line.ts';
import { type Disturbance, type ProxiedRequest, startProxy, type TestProxy } from './proxy.ts';

/** Fixes over a network that breaks, on a real API server without controllers. */
const plane = await ownControlPlane({ controllers: 'none' });
let proxy: TestProxy;
const configMaps = '/api/v1/namespaces/fix/configmaps';
const lost = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'gone', uid: 'gone' };
const hold = 'example.com/hold';

const fixReferences =
  'invalid-ownerrefs configmaps -n fix --fix --missing-owner=keep --yes -o name';
const kept =
  'configmap/a in namespace fix, configmap/b in namespace fix: keep it: remove the reference; it then stays until it is deleted by hand.';
const fixStuck = `why configmap/stuck -n fix --fix --yes --remove-finalizer ${hold} -o json`;

beforeAll(async () => {
  proxy = await startProxy(plane);
  await plane.create('/api/v1/namespaces', { metadata: { name: 'fix' } });
  await permit(plane, 'eve', [{ apiGroups: ['*'], resources: ['*'], verbs: ['get', 'list'] }]);
});
afterAll(() => proxy.close());

beforeEach(async () => {
  proxy.before = () => undefined;
  const { items } = await plane.get<{ items: KubeObject[] }>(configMaps);
  for (const { metadata } of items) {
    await plane.patch(`${configMaps}/${metadata.name}`, { metadata: { finalizers: null } });
  }
  await plane.request(configMaps, { method: 'DELETE' });
  for (const name of ['a', 'b']) {
    await plane.create(configMaps, { metadata: { name, ownerReferences: [lost] } });
  }
  await plane.create(configMaps, { metadata: { name: 'stuck', finalizers: [hold] } });
  await plane.request(`${configMaps}/stuck`, { method: 'DELETE' });
  proxy.forget();
});

/** What is wrong with the objects now. */
async function wrong(): Promise<string[]> {
  const { items } = await plane.get<{ items: KubeObject[] }>(configMaps);
  return items.flatMap(({ metadata: { name, ownerReferences, finalizers } }) =>
    ownerReferences || finalizers ? [String(name)] : [],
  );
}

/** Real patches, in order. */
const patched = () =>
  proxy.requests.flatMap(({ method, path }) =>
    method === 'PATCH' && !path.includes('dryRun') ? [path.split(/[/?]/)[6]] : [],
  );

/** Disturbs the first real patch, or the first rehearsal. */
function disturb(disturbance: Disturbance, isRehearsal = false): void {
  let isFirst = true;
  proxy.before = ({ method, path }) => {
    if (method !== 'PATCH' || path.includes('dryRun') !== isRehearsal || !isFirst) return undefined;
    isFirst = false;
    return disturbance;
  };
}

const later = { status: 429, headers: { 'retry-after': '1' } };
const away = { status: 503 };

describe.each([
  ['is asked to come back later', later, 2],
  ['finds the server away', away, 2],
  ['loses its connection before it has arrived', 'drop', 2],
  ['loses its connection before the answer has come', 'lose', 2],
] as const)('a fix that %s', (_, disturbance, tries) => {
  test('of references is tried again', async () => {
    disturb(disturbance);
    const { code, stderr } = await gc(`${fixReferences} -s ${proxy.address}`);
    expect([code, withoutFolder(stderr)]).toEqual([
      0,
      `${kept}
configmap/a in namespace fix patched (server dry run)
configmap/b in namespace fix patched (server dry run)
configmap/a in namespace fix patched
configmap/b in namespace fix patched
${undoLine}
`,
    ]);
    expect(patched()).toEqual([...Array(tries).fill('a'), 'b']);
    expect(await wrong()).toEqual(['stuck']);
  });

  test('of a stuck object is tried again', async () => {
    disturb(disturbance);
    const { code, stderr } = await gc(`${fixStuck} -s ${proxy.address}`);
    expect([code, withoutFolder(stderr).split('\n').slice(2)]).toEqual([
      0,
      [
        'Server dry run: applied',
        'Done: applied',
        undoLine,
        'Ask why again to see what is left.',
        '',
      ],
    ]);
    expect(patched()).toEqual(Array(tries).fill('stuck'));
    expect(await wrong()).toEqual(['a', 'b']);
  });

  test('is tried again while it is rehearsed', async () => {
    disturb(disturbance, true);
    expect((await gc(`${fixReferences} -s ${proxy.address}`)).code).toBe(0);
    expect(await wrong()).toEqual(['stuck']);
  });
});

type Moment = (request: ProxiedRequest) => boolean;
const isReview: Moment = ({ path }) => path.includes('selfsubjectaccessreviews');
const isRehearsal: Moment = ({ method, path }) => method === 'PATCH' && path.includes('dryRun');
const isPatch: Moment = ({ method, path }) => method === 'PATCH' && !path.includes('dryRun');

/** Presses Ctrl-C when such a request arrives, which is answered with the disturbance. */
async function interruptedAt(line: string, isMoment: Moment, disturbance: Disturbance) {
  const args = [bin, ...line.split(' '), '-s', proxy.address];
  const child = spawn(process.execPath, args, { env: bareEnvironment });
  let stderr = '';
  child.stdout.resume();
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  proxy.before = async (request) => {
    if (!isMoment(request)) return undefined;
    child.kill('SIGINT');
    await sleep(300);
    return disturbance;
  };
  const [code] = await once(child, 'close');
  return { code, stderr };
}

test('what a step let go is kept before, and restore creates it again', async () => {
  const fixed = await gc(`${fixStuck} -s ${proxy.address}`);
  expect([fixed.code, await wrong()]).toEqual([0, ['a', 'b']]);
  const directory = undoFolder(fixed.stderr);
  const env = { KUBECONFIG: plane.kubeconfigPath };
  const { code, stderr } = await gc(`restore ${directory} --yes`, { env });
  expect([code, stderr]).toEqual([0, expect.stringContaining('Done: 1 created.')]);
  const { metadata } = await plane.get<KubeObject>(`${configMaps}/stuck`);
  expect([metadata.finalizers, metadata.deletionTimestamp]).toEqual([[hold], undefined]);
});

describe('Ctrl-C', () => {
  test.each([
    ['references is rehearsed', fixReferences, isRehearsal, 'Nothing was changed.'],
    ['references is permitted', fixReferences, isReview, 'Nothing was sent.'],
    ['a stuck object is permitted', fixStuck, isReview, 'Nothing was sent.'],
  ])('while a fix of %s ends it, and nothing is sent', async (_, line, isMoment, done) => {
    const { code, stderr } = await interruptedAt(line, isMoment, later);
    expect([code, stderr.split('\n').slice(-3)]).toEqual([
      130,
      ['error: interrupted', `  ${done}`, ''],
    ]);
    expect([patched(), await wrong()]).toEqual([[], ['a', 'b', 'stuck']]);
  });

  test('lets a patch that is on its way end, and sends no more', async () => {
    const { code, stderr } = await interruptedAt(fixReferences, isPatch, undefined);
    expect([code, withoutFolder(stderr).split('\n').slice(3)]).toEqual([
      130,
      [
        'configmap/a in namespace fix patched',
        undoLine,
        'error: interrupted',
        '  Nothing was changed but what the lines above say.',
        '',
      ],
    ]);
    expect([patched(), await wrong()]).toEqual([['a'], ['b', 'stuck']]);
  });

  test('sends no patch again that the server put off', async () => {
    const { code, stderr } = await interruptedAt(fixReferences, isPatch, later);
    const why = 'the server answered with HTTP status 429';
    expect([code, withoutFolder(stderr).split('\n').slice(3)]).toEqual([
      130,
      [
        `configmap/a in namespace fix not patched: not-sent: ${why}`,
        'The state before is saved in DIR',
        'error: interrupted',
        '  Nothing was changed but what the lines above say.',
        '',
      ],
    ]);
    expect([patched(), await wrong()]).toEqual([['a'], ['a', 'b', 'stuck']]);
  });

  test('sends no step again that the server put off', async () => {
    const { code, stderr } = await interruptedAt(fixStuck, isPatch, later);
    const why = 'not-sent: the server answered with HTTP status 429';
    expect([code, withoutFolder(stderr).split('\n').slice(3)]).toEqual([
      130,
      [
        `Done: ${why}`,
        'The state before is saved in DIR',
        'error: interrupted',
        '  Nothing was changed but what the lines above say.',
        '',
      ],
    ]);
    expect([patched(), await wrong()]).toEqual([['stuck'], ['a', 'b', 'stuck']]);
  });
});

test.each([
  ['references', fixReferences, '"a" in namespace "fix"'],
  ['a stuck object', fixStuck, '"stuck" in namespace "fix"'],
])('whoever may not patch is told so before a fix of %s is rehearsed', async (_, line, what) => {
  const env = { KUBECONFIG: plane.kubeconfigFor({ user: 'eve', namespace: 'fix' }) };
  const { code, stderr } = await gc(line, { env });
  expect([code, stderr]).toEqual([
    3,
    expect.stringContaining(
      `error: patch is not permitted on configmaps ${what}; nothing was sent\n`,
    ),
  ]);
  expect(stderr).not.toContain('dry run');
  expect(await wrong()).toEqual(['a', 'b', 'stuck']);
});

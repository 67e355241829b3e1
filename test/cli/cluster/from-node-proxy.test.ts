import type { ServerResponse } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import { connect } from '../../../src/cluster/connection/connect.ts';
import { fromNodeProxy } from '../../../src/cluster/from-node-proxy.ts';
import type { NodeFacts } from '../../../src/kubelet/node-facts.ts';
import { mockHttpServer } from '../../support/mock-cluster.ts';
import { nowhere } from '../../support/nowhere.ts';

/** What kubelets answer that are slow, broken, or stand behind something that answers for them. */
type Answer = (response: ServerResponse) => unknown;

const json =
  (value: unknown): Answer =>
  (response) =>
    response.setHeader('content-type', 'application/json').end(JSON.stringify(value));
const html: Answer = (response) =>
  response.setHeader('content-type', 'text/html').end('<!DOCTYPE html><html>Sign in</html>');
const cutOff: Answer = (response) => {
  response.setHeader('content-length', 1000).write('{"items": [');
  setTimeout(() => response.destroy(), 10);
};
const never: Answer = () => {};

const disk = { capacityBytes: 1000, availableBytes: 400, inodes: 10, inodesFree: 5 };
const pod = { metadata: { name: 'web-1', namespace: 'shop', uid: 'u1' }, spec: { nodeName: 'n1' } };
const proxy = '/api/v1/nodes/n1/proxy';
const healthy: Readonly<Record<string, Answer>> = {
  '/api/v1/nodes/n1': json({
    kind: 'Node',
    metadata: { name: 'n1' },
    status: { images: [{ names: ['web:1'], sizeBytes: 5 }] },
  }),
  '/api/v1/pods': json({ kind: 'PodList', items: [pod] }),
  [`${proxy}/configz`]: json({ kubeletconfig: { imageGCHighThresholdPercent: 70 } }),
  [`${proxy}/stats/summary`]: json({
    node: { nodeName: 'n1', fs: disk, runtime: { imageFs: disk } },
  }),
  [`${proxy}/pods`]: json({ kind: 'PodList', items: [pod] }),
};

async function read(
  answers: Readonly<Record<string, Answer>>,
  requestTimeout = '0',
): Promise<NodeFacts | undefined> {
  const server = await mockHttpServer(({ url = '' }, response) => {
    const answer = { ...healthy, ...answers }[url.replace(/\?.*$/, '')];
    if (answer) return answer(response);
    response.writeHead(404).end();
  });
  onTestFinished(server.close);
  const options = { server: server.url, 'request-timeout': requestTimeout };
  const client = await connect(options, nowhere);
  onTestFinished(() => client.close());
  const [facts] = await fromNodeProxy(client, { names: ['n1'] });
  return facts;
}

const told = (facts: NodeFacts | undefined) => ({
  settings: facts?.settingsSource,
  disk: facts?.imageFs?.capacityBytes,
  pods: facts?.pods?.map(({ name }) => name),
  problems: facts?.problems.map(({ reason, message }) => [
    reason,
    // The path that was asked for, or what was to be listed.
    /^cannot (?:ask .* for |list the )(\S+)/.exec(message)?.[1]?.replace(/:$/, ''),
    message
      .split(': ')
      .slice(1)
      .join(': ')
      .replace(/127\.0\.0\.1:\d+/, 'HOST'),
  ]),
});
const notJson = 'the answer is not JSON';
const all = { settings: 'configz', disk: 1000, pods: ['web-1'], problems: [] as string[][] };

describe('a kubelet', () => {
  test('that answers every path', async () => {
    expect(told(await read({}))).toEqual(all);
  });

  test('that is slower than --request-timeout leaves that part unknown', async () => {
    expect(told(await read({ [`${proxy}/stats/summary`]: never }, '300ms'))).toEqual({
      ...all,
      disk: undefined,
      problems: [['unavailable', '/stats/summary', expect.stringContaining(' 300 ms')]],
    });
  });

  test('behind a page of HTML is not understood, and its pods are asked of the API server', async () => {
    const paths = ['configz', 'stats/summary', 'pods', 'flagz'];
    const pages = Object.fromEntries(paths.map((path) => [`${proxy}/${path}`, html]));
    expect(told(await read(pages))).toEqual({
      settings: 'defaults',
      disk: undefined,
      pods: ['web-1'],
      problems: paths.slice(0, 3).map((path) => ['unreadable', `/${path}`, notJson]),
    });
  });

  test.each(['configz', 'stats/summary', 'pods'])(
    'that answers /%s with other JSON',
    async (path) => {
      const facts = told(await read({ [`${proxy}/${path}`]: json({ error: 'try again' }) }));
      expect(facts.pods).toEqual(['web-1']);
      expect(facts.problems).toEqual([
        ['unreadable', `/${path}`, expect.stringMatching(/^the answer is not an? /)],
      ]);
    },
  );

  test('whose pods were not read leaves unknown which were deleted', async () => {
    const other = { [`${proxy}/pods`]: html, '/api/v1/pods': json({ error: 'try again' }) };
    expect(told(await read(other))).toEqual({
      ...all,
      pods: undefined,
      problems: [
        ['unreadable', '/pods', notJson],
        ['unreadable', 'pods', 'the answer is not a list'],
      ],
    });
  });

  test('without pods has none', async () => {
    const none = json({ kind: 'PodList', items: null });
    expect(told(await read({ [`${proxy}/pods`]: none }))).toEqual({ ...all, pods: [] });
  });

  test('whose answer breaks off is asked of the API server', async () => {
    const facts = told(await read({ [`${proxy}/pods`]: cutOff }));
    const why = expect.stringMatching(/ http:\/\/HOST: /);
    expect(facts).toEqual({ ...all, problems: [['unavailable', '/pods', why]] });
  });
});

test.each([
  [
    'of the API server is a missing permission',
    json({ kind: 'Status', status: 'Failure', reason: 'Forbidden', message: 'no', code: 403 }),
    'forbidden',
  ],
  [
    'of a proxy on the way is none',
    (response: ServerResponse) => response.end('denied destination'),
    'unavailable',
  ],
] as const)('a refusal %s', async (_, answer, reason) => {
  const refused: Answer = (response) => {
    response.statusCode = 403;
    return answer(response);
  };
  const facts = await read({ [`${proxy}/configz`]: refused });
  expect(facts?.problems.map((problem) => problem.reason)).toContain(reason);
});

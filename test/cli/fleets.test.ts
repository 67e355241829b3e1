import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { discoveryOf } from '../support/discovery-answers.ts';
import { mockHttpServer } from '../support/mock-cluster.ts';
import { gcHere } from '../support/run-here.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** What is refused of several contexts stands in test/fixtures/transcripts/connections.txt. */
test('an error that all clusters share is reported for the first, with commands for that cluster', async () => {
  const answers = discoveryOf('ConfigMap');
  const server = await mockHttpServer(({ url = '' }, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answers[url.startsWith('/apis') ? '/apis' : '/api']));
  });
  const names = ['eu', 'us'];
  const config = {
    clusters: [{ name: 'one', cluster: { server: server.url } }],
    contexts: names.map((name) => ({ name, context: { cluster: 'one' } })),
  };
  const path = join(temporaryFolder(), 'kubeconfig.json');
  writeFileSync(path, JSON.stringify(config));
  const line = 'orphans nosuchkind --context eu,us';
  const { code, stderr } = await gcHere(line, { KUBECONFIG: path });
  await server.close();
  expect([code, ...stderr.trimEnd().split('\n')]).toEqual([
    2,
    expect.stringContaining('"nosuchkind"'),
    '  See: kubectl api-resources --context eu',
  ]);
});

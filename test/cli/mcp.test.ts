import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { bareEnvironment, bin } from '../support/run-gc.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const clientInfo = { name: 'test', version: '1' };
const initialize = {
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo },
};
const call = (id: number, name: string, input: object) => ({
  id,
  method: 'tools/call',
  params: { name, arguments: input },
});

/** What the server answers to these messages, and to the end of stdin. */
async function served(from: string, ...messages: readonly object[]) {
  const child = spawn(process.execPath, [bin, 'mcp', '--from', from], { env: bareEnvironment });
  child.stdin.end(
    [initialize, { method: 'notifications/initialized' }, ...messages]
      .map((one) => `${JSON.stringify({ jsonrpc: '2.0', ...one })}\n`)
      .join(''),
  );
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  const answers = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(answers.flatMap(({ error, result }) => error ?? result.isError ?? [])).toEqual([]);
  expect([code, stderr]).toEqual([0, '']);
  return answers;
}

test('the MCP server answers all requests before the end of stdin, and then ends', async () => {
  const answers = await served(
    'examples/clusters/shop.json.gz',
    call(2, 'status', {}),
    call(3, 'audit', { namespace: 'shop' }),
    { id: 4, method: 'tools/list' },
  );
  expect(answers.map(({ id }) => id).toSorted()).toEqual([1, 2, 3, 4]);
});

test('a tool is asked about an object with blanks in its name, as RBAC has them', async () => {
  const file = join(temporaryFolder('mcp'), 'roles.yaml');
  const kind = 'apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\n';
  writeFileSync(file, `${kind}metadata: { name: 'see all', uid: u }\n`);
  const answers = await served(file, call(2, 'why', { object: 'clusterrole/see all' }));
  const { untrusted } = JSON.parse(answers.at(-1).result.content[0].text);
  expect(untrusted.objects).toMatchObject([{ kind: 'ClusterRole', name: 'see all' }]);
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { bareEnvironment, bin } from '../support/run-gc.ts';

const clientInfo = { name: 'test', version: '1' };
const messages = [
  {
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo },
  },
  { method: 'notifications/initialized' },
  { id: 2, method: 'tools/call', params: { name: 'status', arguments: {} } },
  { id: 3, method: 'tools/call', params: { name: 'audit', arguments: { namespace: 'shop' } } },
  { id: 4, method: 'tools/list' },
];

test('the MCP server answers all requests before the end of stdin, and then ends', async () => {
  const from = ['--from', 'examples/clusters/shop.json.gz'];
  const child = spawn(process.execPath, [bin, 'mcp', ...from], { env: bareEnvironment });
  child.stdin.end(
    messages.map((one) => `${JSON.stringify({ jsonrpc: '2.0', ...one })}\n`).join(''),
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
  expect(answers.map(({ id }) => id).toSorted()).toEqual([1, 2, 3, 4]);
  expect(answers.flatMap(({ error, result }) => error ?? result.isError ?? [])).toEqual([]);
  expect([code, stderr]).toEqual([0, '']);
});

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { root } from '../../support/command-line.ts';
import { installedTool } from '../../support/installed-tool.ts';
import { bareEnvironment, bin } from '../../support/run-gc.ts';

/** What the inspector of the Model Context Protocol, which is not ours, makes of `mcp`. */
const version = '2.12.0';
let inspector = '';

beforeAll(() => {
  const tool = `inspector-${version}`;
  const kept = installedTool(tool, `@modelcontextprotocol/inspector@${version}`);
  const launcher = 'clients/launcher/build/index.js';
  inspector = join(kept, 'node_modules', '@modelcontextprotocol', 'inspector', launcher);
}, 300_000);

function inspected(...words: readonly string[]) {
  const server = [process.execPath, bin, 'mcp', '--from', 'examples/clusters/shop.json.gz'];
  const line = [inspector, '--cli', ...server, '--method', ...words];
  return JSON.parse(
    execFileSync(process.execPath, line, { cwd: root, env: bareEnvironment, encoding: 'utf8' }),
  );
}

test('the inspector lists the tools, and none may change anything', () => {
  const { tools } = inspected('tools/list');
  expect(
    tools.map(({ name, annotations }: { name: string; annotations: object }) => [
      name,
      annotations,
    ]),
  ).toEqual(
    'status why owners tree preview_delete forecast audit restore_list more'
      .split(' ')
      .map((name) => [name, { readOnlyHint: true, openWorldHint: false }]),
  );
});

test('the inspector calls a tool, and shows its answer', () => {
  const { content, isError } = inspected(
    ...['tools/call', '--tool-name', 'preview_delete'],
    ...['--tool-arg', 'objects=["deployment/web"]', '--tool-arg', 'namespace=shop'],
  );
  expect(isError).toBeUndefined();
  expect(JSON.parse(content[0].text).summary).toEqual([
    '9 objects may be deleted by 1 request (cascade: background).',
    'Data loss: the data of 1 Secret.',
    'Stuck: 0. Coming again: 0. Unknown: 0. Losing an owner and staying: 1.',
  ]);
});

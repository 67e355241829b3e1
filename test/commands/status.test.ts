import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { StatusReport } from '../../src/output/documents/status.ts';
import { gcHere } from '../support/run-here.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();
const shop = '--from examples/clusters/shop.json.gz';

async function documentOf(line: string) {
  const { code, stdout } = await gcHere(`${line} -o json`);
  expect([line, code]).toEqual([line, 0]);
  return JSON.parse(stdout);
}

async function statusOf(line: string): Promise<StatusReport> {
  return documentOf(`status ${line}`);
}

const healthy = [
  'apiVersion: v1',
  'kind: ConfigMap',
  'metadata: {name: settings, namespace: shop, uid: 0d6b0c52-0000-4000-8000-000000000001}',
].join('\n');

/** A file with this text; its path. */
function fileWith(text: string): string {
  const path = join(folder, 'manifests.yaml');
  writeFileSync(path, text);
  return path;
}

describe('status', () => {
  test.each(['-A', '-n shop', '-n preview-142'])(
    'says with %s what why, forecast and invalid-ownerrefs say',
    async (where) => {
      const status = await statusOf(`${where} ${shop}`);
      const stuck = await documentOf(`why ${where} ${shop}`);
      const forecast = await documentOf(`forecast --within 1h ${where} ${shop}`);
      const references = await documentOf(`invalid-ownerrefs ${where} ${shop}`);
      const { deletions, due } = status;
      expect(deletions.worst).toEqual(stuck.items.slice(0, 10));
      expect(deletions.stuck + deletions.unknown + deletions.progressing).toBe(stuck.items.length);
      expect([due.total, status.references.total]).toEqual([
        forecast.items.length,
        references.items.length,
      ]);
      const counted = due.controllers.map(({ controller, count }) => [controller, count]);
      expect(Object.fromEntries(counted)).toEqual(
        Object.fromEntries(
          [...Map.groupBy(forecast.items, (item: { collector: string }) => item.collector)].map(
            ([controller, items]) => [controller, items.length],
          ),
        ),
      );
    },
  );

  test('ends with 0, and with --exit-code with 1 where something is stuck, wrong or unread', async () => {
    expect((await gcHere(`status ${shop}`)).code).toBe(0);
    expect((await gcHere(`status --exit-code ${shop}`)).code).toBe(1);
    const found = await gcHere(`status --exit-code --from ${fileWith(healthy)}`);
    expect([found.code, found.stderr]).toEqual([0, '']);
    expect(found.stdout).toBe(
      [
        'STUCK              nothing is being deleted',
        'NEXT HOUR          nothing is deleted',
        'WRONG REFERENCES   none',
        'GARBAGE COLLECTOR  unknown: files do not show it; ask the cluster itself',
        'NOT READ           nothing: 1 object read',
        '',
      ].join('\n'),
    );
  });

  test('prints on stdout what was not read, and nothing on stderr', async () => {
    const path = fileWith(`${healthy}\n---\n{broken`);
    const { code, stdout, stderr } = await gcHere(`status --exit-code --from ${path}`);
    expect([code, stderr]).toEqual([1, '']);
    const [told, command] = stdout.split('\n').slice(-3);
    expect(told).toMatch(/^NOT READ {11}\S/);
    expect(command).toBe(`  $ kubectl gc status -o yaml --from ${path}`);
  });

  test('refuses arguments', async () => {
    const { code, stderr } = await gcHere(`status deployment/web ${shop}`);
    expect(code).toBe(2);
    expect(stderr).toContain('Unexpected argument: deployment/web');
  });
});

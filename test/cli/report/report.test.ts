import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { mockHttpServer } from '../../support/mock-cluster.ts';
import { gc } from '../../support/run-gc.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { startWatching } from '../../support/watching.ts';

const folder = temporaryFolder();

/** Small, so that each run is quick. */
const shop =
  '--from examples/clusters/what-follows.yaml --complete --fail-on never --allow-incomplete';

test('a file is replaced as a whole', async () => {
  const file = join(folder, 'kubectl-gc.prom');
  writeFileSync(file, 'before');
  const { code, stdout } = await gc(`report ${shop} --metrics-file ${file}`);
  expect([code, stdout]).toEqual([0, '']);
  expect(readFileSync(file, 'utf8')).toMatch(
    /^# HELP kubectl_gc_report_last_success_timestamp_seconds .*/,
  );
});

test('findings decide the exit code, as they do for audit', async () => {
  const { code } = await gc('report --from examples/clusters/shop.json.gz');
  expect(code).toBe((await gc('audit -A --from examples/clusters/shop.json.gz')).code);
});

describe('--serve', () => {
  test('answers while a cluster does not, counts what failed, and ends well on SIGTERM', async () => {
    const line = 'report --server http://127.0.0.1:1 --serve 127.0.0.1:0 --every 10s';
    const served = startWatching(line, {});
    await served.tells('error: ');
    const [, url = ''] = /^Serving (\S+)\/metrics$/m.exec(served.stderr()) ?? [];
    const ask = async (path: string, method = 'GET') => {
      const answer = await fetch(`${url}${path}`, { method });
      return {
        status: answer.status,
        type: answer.headers.get('content-type'),
        text: await answer.text(),
      };
    };
    // The count follows the message.
    const metrics = await eventually('the failure is counted', async () => {
      const answer = await ask('/metrics');
      return answer.text.includes('{result="error"} 1') ? answer : undefined;
    });
    expect(metrics).toMatchObject({
      status: 200,
      type: 'text/plain; version=0.0.4; charset=utf-8',
    });
    expect(metrics.text).toContain('kubectl_gc_report_runs_total{result="error"} 1\n');
    expect(metrics.text).not.toContain('last_success');
    expect(await ask('/healthz')).toMatchObject({ status: 200, text: 'ok\n' });
    expect((await ask('/')).status).toBe(404);
    expect((await ask('/metrics', 'POST')).status).toBe(405);
    expect(await served.end('SIGTERM')).toMatchObject({ code: 0 });
  });

  test('says why it cannot listen', async () => {
    const taken = await mockHttpServer();
    const { code, stderr } = await gc(
      `report --server http://127.0.0.1:1 --serve 127.0.0.1:${taken.port}`,
    );
    await taken.close();
    expect([code, stderr]).toEqual([3, expect.stringContaining('cannot serve at 127.0.0.1:')]);
  });
});

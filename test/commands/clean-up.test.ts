import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { gcHere } from '../support/run-here.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const file = join(temporaryFolder(), 'cluster.yaml');
const uid = (number: number) => `0d6b0c52-0000-4000-8000-00000000000${number}`;

function pod(name: string, number: number, status: string): string {
  return `
apiVersion: v1
kind: Pod
metadata: {name: ${name}, namespace: shop, uid: "${uid(number)}", creationTimestamp: "2026-01-01T00:00:00Z"}
status: ${status}
---`;
}

function job(name: string, number: number, conditions: string): string {
  return `
apiVersion: batch/v1
kind: Job
metadata: {name: ${name}, namespace: shop, uid: "${uid(number)}", creationTimestamp: "2026-01-01T00:00:00Z"}
status: {conditions: [${conditions}]}
---`;
}

const ended = (type: string, at: string) =>
  `{type: ${type}, status: "True", lastTransitionTime: "${at}"}`;

writeFileSync(
  file,
  [
    pod('evicted', 1, '{phase: Failed, reason: Evicted, startTime: "2026-01-20T00:00:00Z"}'),
    pod('evicted-now', 2, '{phase: Failed, reason: Evicted, startTime: "2026-01-31T11:00:00Z"}'),
    pod('crashed', 3, '{phase: Failed}'),
    pod('done', 4, `{phase: Succeeded, conditions: [${ended('Ready', '2026-01-31T10:00:00Z')}]}`),
    pod('running', 5, '{phase: Running}'),
    pod('without-a-phase', 6, '{}'),
    job('migrated', 7, ended('Complete', '2026-01-02T00:00:00Z')),
    job('at-work', 8, ''),
  ].join(''),
);
const from = `--from ${file} --now=2026-01-31T12:00:00Z`;

async function chosen(line: string): Promise<string[]> {
  const { code, stdout } = await gcHere(`delete ${line} -n shop --preview -o name ${from}`);
  expect([line, code]).toEqual([line, 0]);
  return stdout.split('\n').slice(0, -1).sort();
}

describe('cleaning up by hand', () => {
  test('takes evicted pods, and no others', async () => {
    expect(await chosen('pods --evicted')).toEqual(['pod/evicted', 'pod/evicted-now']);
  });

  test('takes pods and jobs that have ended, and none that may still run', async () => {
    const pods = ['pod/crashed', 'pod/done', 'pod/evicted', 'pod/evicted-now'];
    expect(await chosen('pods --finished')).toEqual(pods);
    expect(await chosen('pods,jobs --finished')).toEqual(['job.batch/migrated', ...pods]);
  });

  test('counts from the last sign of life, not from the creation', async () => {
    expect(await chosen('pods,jobs --finished --older-than 1d')).toEqual([
      'job.batch/migrated',
      'pod/crashed',
      'pod/evicted',
    ]);
    expect(await chosen('pods --evicted --older-than 90m')).toEqual(['pod/evicted']);
  });

  test.each([
    ['deployments --evicted', '--evicted selects pods, and not deployments.apps'],
    ['jobs --evicted', '--evicted selects pods, and not jobs.batch'],
    ['pods --older-than 1d', '--older-than counts from the end of what has ended'],
    ['pods --evicted --older-than soon', '--older-than "soon" is not a duration'],
    ['pods web --evicted', 'name cannot be provided when a selector is specified'],
  ])('refuses %s', async (line, message) => {
    const { code, stdout, stderr } = await gcHere(`delete ${line} -n shop ${from}`);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
  });

  test('is done without a terminal only with --yes; nothing is contacted before that', async () => {
    expect(await gcHere('delete pods --evicted -n shop --server https://127.0.0.1:1')).toEqual({
      code: 2,
      stdout: '',
      stderr: [
        'error: nothing was sent: there is no terminal to ask on',
        '  Add --yes to clean up, or --preview to see what would go.',
        '',
      ].join('\n'),
    });
  });

  test('takes nothing of which only metadata was read', async () => {
    const bare = join(file, '..', 'bare.yaml');
    writeFileSync(
      bare,
      `apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: shop, uid: "${uid(9)}"}`,
    );
    const { code, stderr } = await gcHere(`delete pods --finished -n shop --from ${bare}`);
    expect([code, stderr.split('\n')[0]]).toEqual([2, 'error: of Pod a only metadata was read']);
  });
});

import { readdirSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ApiRequest } from '../../../src/cluster/connection/cluster-client.ts';
import { nowhere } from '../../../src/command-line/shell-command.ts';
import { GcError } from '../../../src/errors.ts';
import { sendFixes } from '../../../src/shell/fix/send-fixes.ts';
import type { DryRun } from '../../../src/shell/flags/flag-kinds.ts';
import { withInterruption } from '../../../src/shell/terminal/interruption.ts';
import type { SentFix } from '../../../src/why/fix-request.ts';
import { fakeClient, refusal } from '../../cluster/fake-client.ts';
import { servedTypes } from '../../support/builders.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** A server that takes every step but that of `no`; this process has no terminal. */
const backups = temporaryFolder();
const wasTerminal = process.stdin.isTTY;
let stderr: string[];
let sent: string[];

beforeEach(() => {
  [stderr, sent] = [[], []];
  vi.stubEnv('KUBECTL_GC_BACKUP_DIR', backups);
  Object.assign(process.stdin, { isTTY: false });
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    stderr.push(String(text).trimEnd());
    return true;
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  Object.assign(process.stdin, { isTTY: wasTerminal });
});

const names = ['one', 'no', 'two', 'three'];
const pathOf = (name: string) => `/api/v1/namespaces/shop/configmaps/${name}`;

const body = [{ op: 'remove', path: '/metadata/finalizers' }];
const steps = names.map((name): SentFix => {
  const object = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name, uid: `u-${name}` };
  const path = pathOf(name);
  return { does: 'fix it', risk: '', object, method: 'PATCH', path, body, losesOwner: true };
});

function server(pressAt?: string, lostAt?: string) {
  const objects = names.map((name) => {
    const metadata = { name, namespace: 'shop', uid: `u-${name}`, finalizers: ['a'] };
    return [pathOf(name), { body: { apiVersion: 'v1', kind: 'ConfigMap', metadata } }] as const;
  });
  const client = fakeClient(Object.fromEntries(objects));
  const request = async (one: ApiRequest) => {
    if (one.method !== 'PATCH') return client.request(one);
    const name = /configmaps\/(\w+)/.exec(one.path)?.[1] ?? '';
    const did = `${one.path.includes('dryRun') ? 'rehearsed' : 'sent'} ${name}`;
    sent.push(did);
    if (did === pressAt) process.emit('SIGINT');
    if (did === lostAt) throw new GcError('lost', { code: 'unknown-host' });
    const answer =
      name === 'no' ? refusal(403, 'no') : { body: { kind: 'ConfigMap', metadata: {} } };
    return fakeClient({ [one.path]: answer }).request(one);
  };
  return { ...client, request };
}

function fix(flags: { yes?: boolean; dryRun?: DryRun }, pressAt?: string, lostAt?: string) {
  const { yes = false, dryRun = 'none' } = flags;
  const cluster = {
    client: server(pressAt, lostAt),
    types: servedTypes,
    serverVersion: '',
    place: nowhere,
  };
  return withInterruption((signal) =>
    sendFixes(
      cluster,
      steps,
      { yes, dryRun, signal },
      {
        line: ({ object }, { outcome }) => `${object.name} ${outcome}`,
        question: (count) => `Send ${count}?`,
        declined: 'Nothing was changed.',
      },
    ),
  );
}

/** How the change of each object is shown. */
const shownOf = (...changed: string[]) =>
  changed.flatMap((name) => [
    `configmap/${name} in namespace shop:`,
    '- metadata:',
    '-   finalizers:',
    '-     - a',
  ]);

const rehearsed = names.map((name) => `rehearsed ${name}`);
const said = ['one applied', 'no refused', 'two applied', 'three applied'];

describe('fixes', () => {
  test('that the server would take are sent once with --yes, after a backup', async () => {
    expect(await fix({ yes: true })).toEqual({ sent: 3, refused: 1, last: 'applied' });
    expect(sent).toEqual([...rehearsed, 'sent one', 'sent two', 'sent three']);
    const [folder = ''] = readdirSync(backups);
    expect(folder).toMatch(/-fix-configmap-one-and-2-more$/);
    expect(stderr).toEqual([
      ...[...said, 'one applied', 'two applied', 'three applied'],
      `To undo it: kubectl gc restore ${backups}/${folder}`,
    ]);
  });

  test('are rehearsed only with --dry-run=server, which shows what would change', async () => {
    const answer = await fix({ yes: true, dryRun: 'server' });
    expect(answer).toEqual({ sent: 0, refused: 1, last: 'applied' });
    expect(sent).toEqual(rehearsed);
    const shown = shownOf('one', 'two', 'three');
    expect(stderr).toEqual([...said, ...shown, 'Nothing was changed (--dry-run=server).']);
  });

  test('are only shown with --dry-run=client', async () => {
    const answer = await fix({ yes: true, dryRun: 'client' });
    expect(answer).toEqual({ sent: 0, refused: 0, last: undefined });
    expect(sent).toEqual([]);
    const shown = shownOf(...names);
    expect(stderr).toEqual([...shown, 'Nothing was changed (--dry-run=client).']);
  });

  test('are wrong usage without --yes and without a terminal', async () => {
    await expect(fix({})).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringMatching(/^nothing was changed: .* terminal/),
      suggestions: [expect.stringMatching(/--yes .*--dry-run/)],
    });
    expect(sent).toEqual([]);
  });

  test('end with the one on which the server was lost, after printing its outcome', async () => {
    const ended = fix({ yes: true }, undefined, 'sent one');
    await expect(ended).rejects.toThrow('lost');
    // It is tried more than once.
    expect([...new Set(sent)]).toEqual([...rehearsed, 'sent one']);
    expect(stderr.slice(said.length, said.length + 1)).toEqual(['one not-sent']);
  });

  test.each([
    ['sent one', /lines above/, ['sent one']],
    ['rehearsed no', /^Nothing was changed\.$/, []],
  ])('end after the current request on Ctrl-C at "%s"', async (at, told, after) => {
    const ended = fix({ yes: true }, at);
    const suggestions = [expect.stringMatching(told)];
    await expect(ended).rejects.toMatchObject({ exitCode: 130, suggestions });
    expect(sent.filter((line) => line.startsWith('sent'))).toEqual(after);
    expect(process.listenerCount('SIGTERM')).toBe(0);
  });
});

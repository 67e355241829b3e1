import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root, wordsOf } from '../support/command-line.ts';
import { eventually } from '../support/eventually.ts';
import { olderNode } from '../support/older-node.ts';
import { bareEnvironment, bin } from '../support/run-gc.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();
const older = olderNode();

/** A play of these takes long, and hundreds are played: each names one owner, which is nowhere, in 200 ways. */
const file = join(folder, 'takes-long.json');
const ownerReferences = Array.from({ length: 200 }, (_, at) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  name: `p${at}`,
  uid: 'nowhere',
}));
const items = Array.from({ length: 50 }, (_, at) => `c${at}`).map((name) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'shop', uid: name, finalizers: ['example.com/x'], ownerReferences },
}));
writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));

const lines = [
  'forecast -A',
  'simulate --delete cm/c0 -n shop',
  'delete cm/c0 -n shop --preview',
  'delete cm/c0 -n shop --compare',
];

/** The process and those that it started. */
function family(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return [pid, ...children.split(' ').filter(Boolean).map(Number).flatMap(family)];
}

/** Seconds that a process and those that it started have computed. */
function computed(pid: number): number {
  const ticks = family(pid).map((one) => {
    const stat = readFileSync(`/proc/${one}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return Number(stat[11]) + Number(stat[12]);
  });
  return Math.max(...ticks) / 100;
}

const cases = lines.flatMap((line) =>
  (['SIGINT', 'SIGTERM'] as const).flatMap((signal) =>
    [false, true].map((isOlder) => ({ line, signal, isOlder })),
  ),
);
const hangUp = { line: 'forecast -A', signal: 'SIGHUP', isOlder: true } as const;

test.each([...cases, hangUp])(
  '$signal ends "$line" while it computes, by an older Node: $isOlder',
  async (given) => {
    const { line, signal, isOlder } = given;
    const child = spawn(process.execPath, [bin, ...wordsOf(line), '--from', file, '--complete'], {
      cwd: root,
      stdio: 'ignore',
      env: { ...bareEnvironment, ...(isOlder && older) },
    });
    const pid = child.pid ?? 0;
    await eventually('it computes', async () => computed(pid) > 2);
    const all = family(pid);
    const ended = once(child, 'exit');
    const began = performance.now();
    child.kill(signal);
    expect(await ended).toEqual([null, signal]);
    expect(performance.now() - began).toBeLessThan(1000);
    for (const one of all) expect(() => process.kill(one, 0)).toThrow('ESRCH');
  },
);

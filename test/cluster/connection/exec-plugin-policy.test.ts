import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { lookPath } from '../../../src/cluster/connection/exec-plugin-policy.ts';

afterEach(() => vi.restoreAllMocks());

test('on Windows a program is a file with an extension of PATHEXT, or with one of its own', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kubectl-gc-plugins-'));
  try {
    for (const name of ['aws', 'aws.EXE', 'tool.sh']) {
      writeFileSync(join(folder, name), '');
      chmodSync(join(folder, name), 0o700);
    }
    const env = { Path: folder, PATHEXT: '.COM;.EXE' };
    expect(lookPath('aws', env)).toBe(join(folder, 'aws'));
    vi.spyOn(process, 'platform', 'get').mockReturnValue('win32');
    expect(['aws', 'aws.EXE', 'tool', 'tool.sh'].map((name) => lookPath(name, env))).toEqual([
      join(folder, 'aws.EXE'),
      join(folder, 'aws.EXE'),
      undefined,
      join(folder, 'tool.sh'),
    ]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

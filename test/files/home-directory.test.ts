import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import { expect, test } from 'vitest';
import { homeDirectory } from '../../src/files/home-directory.ts';
import { backupRoot } from '../../src/restore/backup/backup-directory.ts';

function withoutHome(body: () => void): void {
  const { homedir } = os;
  os.homedir = () => {
    throw new Error('uv_os_homedir returned ENOENT');
  };
  syncBuiltinESMExports();
  try {
    body();
  } finally {
    os.homedir = homedir;
    syncBuiltinESMExports();
  }
}

test('the home is that of the environment', () => {
  expect(homeDirectory({ HOME: '/home/ann' })).toBe('/home/ann');
  // A backup is found from every folder.
  expect(homeDirectory({ HOME: 'ann' })).toBe(`${process.cwd()}/ann`);
});

test('a user whom the machine does not know has no home', () => {
  withoutHome(() => expect(homeDirectory({})).toBeUndefined());
});

test('the error for a user without a home says how to name a folder for backups', () => {
  withoutHome(() => {
    expect(backupRoot({ KUBECTL_GC_BACKUP_DIR: '/b' })).toBe('/b');
    expect(backupRoot({ XDG_STATE_HOME: '/s' })).toBe('/s/kubectl-gc/backups');
    expect(() => backupRoot({})).toThrow(
      expect.objectContaining({
        message: expect.stringContaining('no home'),
        exitCode: 2,
        suggestions: ['Set KUBECTL_GC_BACKUP_DIR to a folder.'],
      }),
    );
  });
});

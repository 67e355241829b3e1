import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { encodeSnapshot } from '../../src/files/saved-snapshot.ts';
import { ResourceTypes } from '../../src/kube/resource-types.ts';
import { pod, snapshotOf } from '../support/builders.ts';
import { bash, gc } from '../support/run-gc.ts';
import { gcHere } from '../support/run-here.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

/** What can be written as text stands in test/fixtures/transcripts/input.txt. */
describe('input of no use', () => {
  const refused = (what: string, why: RegExp) => ({
    code: 3,
    stdout: '',
    stderr: expect.stringMatching(new RegExp(`^error: .* ${what}: .*${why.source}.*\\n  .+\\n$`)),
  });

  test('a link in circles, and a binary file, are an error: 3', async () => {
    symlinkSync('round', join(folder, 'about'));
    symlinkSync('about', join(folder, 'round'));
    const noise = Uint8Array.from({ length: 4096 }, (_, i) => (i * 7919) % 256);
    for (const [path, why] of [
      [join(folder, 'round'), /symbolic links/],
      [file('junk.yaml', noise), /binary file/],
    ] as const) {
      expect(await gcHere(`orphans -A --from ${path}`)).toEqual(refused(path, why));
    }
  });

  test('an empty stdin is an error: 3', async () => {
    expect(await gc('orphans -A --from -')).toEqual(refused('standard input', /empty/));
  });
});

test('an object of a kind that could not be read is unknown', async () => {
  const path = file('lost.json', savedWithoutPods());
  expect(await gcHere(`owners pod/web -n shop --from ${path}`)).toEqual({
    code: 3,
    stdout: '',
    stderr: expect.stringMatching(/^error: .*unknown.* pods "web" .*\n {2}no list: forbidden\n$/),
  });
});

function savedWithoutPods(): string {
  const problem = {
    reason: 'forbidden',
    resource: 'pods',
    message: 'no list: forbidden',
  } as const;
  const snapshot = snapshotOf([], {
    observedAt: '2026-01-31T12:00:00Z',
    serverVersion: undefined,
    coverage: { read: [{ resource: 'secrets' }], problems: [problem] },
    types: new ResourceTypes([pod('web').type], { exhaustive: true }),
  });
  return [...encodeSnapshot(snapshot, crc32)].join('');
}

test('a device to write to is written to, and not replaced', async () => {
  const cluster = '--from test/fixtures/clusters/orphaned-replicaset.yaml';
  const { code, stdout } = await bash(`gc snapshot save /dev/stdout ${cluster} | cat`);
  expect([code, JSON.parse(stdout).kind]).toEqual([0, 'Snapshot']);
});

import { expect, test } from 'vitest';
import { sourceFiles } from '../support/architecture/source-files.ts';

/** Reads that are sent once, and why; all others go through `get`, which repeats them as client-go does. */
const sentOnce: Readonly<Record<string, string>> = {
  'src/cluster/get.ts': 'the one that repeats',
  'src/cluster/watch.ts': 'followed by list-and-watch, which waits as the reflector does',
  'src/cluster/asking-once.ts': 'hands on what is asked by others',
  'src/cluster/settings/ask-for.ts':
    'a kubelet that does not answer is not asked again: many nodes would take long',
  'src/cluster/write/send-write.ts': 'writes, which the same Retries repeat',
};

test('all requests are retried in one place of the code', () => {
  const asking = [
    ...sourceFiles(
      'src/cluster',
      'src/why/ask',
      'src/shell',
      'src/commands',
      'src/perform',
      'src/restore',
      'src/runner',
    ),
  ]
    .filter(([, text]) => /client\.request\(/.test(text))
    .map(([path]) => path);
  expect(asking.toSorted()).toEqual(Object.keys(sentOnce).toSorted());
});

test('whoever waits before the next attempt takes its wait from the one policy', () => {
  const waiting = [...sourceFiles('src/cluster')]
    .filter(
      ([path, text]) =>
        !path.endsWith('/pacing.ts') && /\bbackoff\(|nextWait\(|mayAskAgain\(/.test(text),
    )
    .map(([, text]) => /from '(?:\.\.?\/)+pacing\.ts'/.test(text));
  expect(waiting.length).toBeGreaterThan(2);
  expect(waiting.every(Boolean)).toBe(true);
});

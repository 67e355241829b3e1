import { describe, expect, test } from 'vitest';
import { gc } from '../support/run-gc.ts';
import { gcHere } from '../support/run-here.ts';

const file = '--from test/fixtures/clusters/orphaned-replicaset.yaml';
/** What is said of wrong usage stands in test/fixtures/transcripts/wrong-usage.txt. */
describe('wrong usage', () => {
  test('the exit code is that of the process', async () => {
    expect((await gc(`owners frobs/x ${file}`)).code).toBe(2);
  });

  test('only -v shows where it was found', async () => {
    const { code, stdout, stderr } = await gc('owners pod/x --from /nowhere -v');
    expect([code, stdout]).toEqual([3, '']);
    expect(stderr).toMatch(/^GcError: nothing could be read from \/nowhere/m);
    expect(stderr).toMatch(/^ {4}at /m);
    // A wrong command line is no matter of the program.
    for (const line of [`owners frobs/x ${file}`, '-n shop', `tree pod/x --colour ${file}`]) {
      expect(await gcHere(`${line} -v`)).toEqual(await gcHere(line));
    }
  });
});

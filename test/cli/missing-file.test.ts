import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { writeKubeconfig } from '../support/kubeconfig.ts';
import { gcHere } from '../support/run-here.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();
const none = join(folder, 'none');
const denied = join(folder, 'denied.yaml');
writeFileSync(denied, 'kind: List\n');
chmodSync(denied, 0o000);
const dangling = writeKubeconfig(
  join(folder, 'kubeconfig'),
  { server: 'https://127.0.0.1:1' },
  { tokenFile: none },
);

const example = '--from examples/clusters/shop.json.gz';

/** Files that are named on the command line stand in test/fixtures/transcripts/missing-files.txt. */
test('a file of a kubeconfig that is not there is named', async () => {
  const { code, stderr } = await gcHere(`orphans --kubeconfig ${dangling}`);
  expect([code, stderr.includes(none), stderr.includes('ENOENT')]).toEqual([3, true, false]);
});

// root may read everything.
describe.skipIf(process.getuid?.() === 0)('a file that may not be read is named', () => {
  test.each(['audit --baseline FILE', 'orphans -A --from FILE', 'delete -f FILE --preview'])(
    'gc %s',
    async (line) => {
      const { code, stderr } = await gcHere(`${line.replaceAll('FILE', denied)} ${example}`);
      expect([code, stderr.includes(denied), stderr.includes('permission denied')]).toEqual([
        3,
        true,
        true,
      ]);
    },
  );
});

import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { gcHere } from '../support/run-here.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();
const denied = join(folder, 'denied.yaml');
writeFileSync(denied, 'kind: List\n');
chmodSync(denied, 0o000);

const example = '--from examples/clusters/shop.json.gz';

/** Files that are not there stand in test/fixtures/transcripts: missing-files.txt and connections.txt. */
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

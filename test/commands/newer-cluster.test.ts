import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { expect, test } from 'vitest';
import { encodeSnapshot } from '../../src/files/saved-snapshot.ts';
import { configMap, ownedByGone, snapshotOf } from '../support/builders.ts';
import { rowsOf } from '../support/rows.ts';
import { gcHere } from '../support/run-here.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const file = join(temporaryFolder('newer'), 'saved.json');
const lost = configMap('lost', { ownerReferences: [ownedByGone('apps/v1 Deployment web')] });
const lines = ['status', 'orphans -A', 'forecast', 'delete cm/lost -n shop --preview'];

test.each(
  rowsOf(`
    v1.33.13        |
    v1.37.9         |
    v1.38.0-beta.0  | newer
    v1.45.2-eks-abc | newer
  `),
)(
  'of a cluster of %s it is said once that no version like it was tried: %s',
  async (version = '', newer) => {
    const snapshot = snapshotOf([lost], { serverVersion: version });
    writeFileSync(file, [...encodeSnapshot(snapshot, crc32)].join(''));
    for (const line of lines) {
      const { code, stderr } = await gcHere(`${line} --from ${file}`);
      const warnings = stderr.split('\n').filter((text) => text.includes(version));
      expect([line, code, warnings.length]).toEqual([line, 0, newer ? 1 : 0]);
    }
  },
);

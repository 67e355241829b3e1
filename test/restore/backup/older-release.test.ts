import { expect, test } from 'vitest';
import { readBackup } from '../../../src/restore/backup/read-backup.ts';
import { plan } from '../saved.ts';

/** What the release before whole backups (a8bb9613) wrote of a namespace and a definition on a real cluster: objects without status. */
const directory = 'test/fixtures/backups/without-status';

test('a backup of a release that saved no status is read whole and planned', async () => {
  const { saved, problems, isOfFix } = await readBackup(directory, { acceptEdited: false });
  expect([saved.length, problems, isOfFix]).toEqual([30, [], false]);
  expect(saved.filter(({ manifest }) => !manifest || manifest.metadata.uid)).toEqual([]);
  const left = plan(saved).flatMap(({ saved: { type, name }, action }) =>
    action === 'create' ? [] : `${action} ${type.kind} ${name}`,
  );
  expect(left.sort()).toEqual([
    'skip APIService v1.archive.example.com',
    'skip EndpointSlice web-xtkhr',
    'skip Endpoints web',
    'skip IPAddress 10.0.80.145',
    'skip Lease leader',
    'skip Pod db-0',
    'skip Pod web-6f9bfc5c4b-dwdw5',
    'skip Pod web-bb75485bf-gpk89',
  ]);
});

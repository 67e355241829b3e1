import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { gcHere } from '../support/run-here.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();
writeFileSync(join(folder, 'empty.yaml'), '');

test.each([
  ['restore', 2, 'You must say what to restore'],
  [`restore ${folder} -n other`, 2, 'so -n chooses nothing'],
  [
    'restore --from examples/shop/faults/restored.yaml -n other --against examples/clusters/shop.json.gz',
    2,
    'is not in the namespace "other" of -n',
  ],
  [`restore ${folder} --dry-run=maybe`, 2, 'Invalid dry-run value (maybe)'],
  [`restore ${folder} -o dot`, 2, 'unable to match a printer'],
  [`restore ${folder}`, 3, `there is no backup.json in ${folder}`],
  [`restore ${join(folder, 'nowhere')}`, 3, 'there is no such folder'],
  [`restore --from ${join(folder, 'empty.yaml')} --preview`, 3, 'nothing could be read from'],
  [
    'restore backup --against x.json --yes',
    2,
    '--against=x.json cannot also be provided when using --yes',
  ],
  ['restore --from - --against -', 2, 'standard input ("-") can be read only once'],
])('%s: exit code %i', async (line, code, message) => {
  const run = await gcHere(line);
  expect([run.code, run.stdout]).toEqual([code, '']);
  expect(run.stderr).toContain(message);
});

test('--against compares with a snapshot, and contacts no cluster', async () => {
  const manifests = '--from examples/shop/faults/restored.yaml';
  const snapshot = '--against examples/clusters/shop.json.gz';
  const run = await gcHere(`restore configmap/web-flags ${manifests} ${snapshot} -o json`);
  const { state, objects } = JSON.parse(run.stdout);
  expect({ code: run.code, state, actions: objects.map(({ action }: never) => action) }).toEqual({
    code: 0,
    state: 'planned',
    actions: ['exists'],
  });
  expect(run.stderr).toBe('Nothing was sent: 1 there already.\nNo cluster was contacted.\n');
});

import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { gcHere } from '../support/run-here.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();
const none = join(folder, 'none');
const denied = join(folder, 'denied.yaml');
const dangling = join(folder, 'kubeconfig');
writeFileSync(denied, 'kind: List\n');
chmodSync(denied, 0o000);
writeFileSync(
  dangling,
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'a', cluster: { server: 'https://127.0.0.1:1' } }],
    users: [{ name: 'a', user: { tokenFile: none } }],
    contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
    'current-context': 'a',
  }),
);

const example = '--from examples/clusters/shop.json.gz';
const server = '-s https://127.0.0.1:1';
const object = 'deployment/web -n shop';

/** Every way to name a file: FILE stands for one that is not there. */
const lines = [
  `owners ${object} --from FILE`,
  `owners -f FILE ${example}`,
  `tree ${object} --from FILE`,
  `tree -f FILE ${example}`,
  'orphans -A --from FILE',
  'invalid-ownerrefs -A --from FILE',
  `why ${object} --from FILE`,
  `why -f FILE ${example}`,
  'audit --from FILE',
  `audit --config FILE ${example}`,
  `audit --baseline FILE ${example}`,
  `simulate --delete ${object} --from FILE`,
  `simulate --scenario FILE ${example}`,
  `simulate --settings FILE --delete ${object} ${example}`,
  'forecast --from FILE',
  `forecast --settings FILE ${example}`,
  'podgc-preview --from FILE',
  `podgc-preview --settings FILE ${example}`,
  'images --from FILE',
  'images --kubelet FILE --from examples/nodes/worker-1.txt',
  'containers --from FILE',
  'settings --settings FILE',
  'settings --kubelet FILE',
  'settings --from FILE',
  'snapshot info FILE',
  'snapshot diff FILE',
  'snapshot diff examples/clusters/shop.json.gz FILE',
  'snapshot export FILE --to /tmp',
  'restore FILE',
  'restore --from FILE -o yaml --dry-run=client',
  `restore FILE --identity FILE`,
  `delete ${object} --preview --from FILE`,
  `delete -f FILE --preview ${example}`,
  'delete --plan FILE --yes',
  `orphans --kubeconfig FILE`,
  `orphans ${server} --certificate-authority FILE`,
  `orphans ${server} --client-certificate FILE --client-key FILE`,
];

describe('a file that is not there is named, and the exit code is 3', () => {
  test.each(lines)('gc %s', async (line) => {
    const { code, stdout, stderr } = await gcHere(line.replaceAll('FILE', none));
    expect([code, stdout]).toEqual([3, '']);
    expect(stderr.split('\n')[0]).toMatch(/^error: /);
    expect(stderr).toContain(none);
    expect(stderr).not.toMatch(/ENOENT|no such file or directory, (open|stat)/);
  });

  test('of a kubeconfig', async () => {
    const { code, stderr } = await gcHere(`orphans --kubeconfig ${dangling}`);
    expect([code, stderr.includes(none), stderr.includes('ENOENT')]).toEqual([3, true, false]);
  });
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

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { gcHere } from '../support/run-here.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();
const path = join(folder, 'input.json');

const object = (type: string, name: string, fields: object = {}) => {
  const [apiVersion, kind] = type.split(' ');
  return { apiVersion, kind, metadata: { name, namespace: 'shop', uid: `uid-${name}` }, ...fields };
};
const pod = (name: string, nodeName: string, phase: string) =>
  object('v1 Pod', name, { spec: { nodeName, serviceAccountName: 'till' }, status: { phase } });
const shop = [
  pod('a', 'w1', 'Failed'),
  pod('b', 'w2', 'Failed'),
  pod('c', 'w1', 'Running'),
  object('apps/v1 ReplicaSet', 'old', { spec: { replicas: 0 } }),
  object('apps/v1 ReplicaSet', 'new', { spec: { replicas: 2 }, status: { replicas: 2 } }),
  object('batch/v1 Job', 'done', { spec: {}, status: { succeeded: 1 } }),
  object('v1 Node', 'w1', { spec: { unschedulable: true } }),
];

async function run(line: string, objects: readonly object[] = shop) {
  writeFileSync(path, objects.map((one) => JSON.stringify(one)).join('\n'));
  const { code, stdout, stderr } = await gcHere(`${line} -n shop --from ${path}`);
  return { code, lines: stdout.split('\n').filter(Boolean), error: stderr.split('\n')[0] };
}

describe('delete --field-selector on files', () => {
  test.each([
    ['pods', 'status.phase=Failed', ['pod/a', 'pod/b']],
    ['pods', 'status.phase!=Failed,spec.nodeName==w1', ['pod/c']],
    ['pods', 'spec.serviceAccountName=till,metadata.name=b', ['pod/b']],
    ['replicasets', 'status.replicas=0', ['replicaset.apps/old']],
    ['jobs', 'status.successful=1', ['job.batch/done']],
    ['nodes', 'spec.unschedulable=true', ['node/w1']],
  ])('of %s: %s', async (kind, selector, names) => {
    const line = `delete ${kind} --field-selector ${selector} --dry-run=client -o name`;
    expect(await run(line)).toMatchObject({ code: 0, lines: names });
  });

  test.each([
    ['pods', 'spec.hostIP=1', shop, 'error: field label not supported: spec.hostIP'],
    [
      'jobs',
      'status.phase=Failed',
      shop,
      'error: field label not supported for jobs.batch: status.phase',
    ],
    [
      'pods',
      'status.phase=Failed',
      [object('v1 Pod', 'web')],
      'error: --field-selector status.phase: it was not read of pods "web"',
    ],
  ])('that cannot be known is refused: of %s, %s', async (kind, selector, objects, error) => {
    const line = `delete ${kind} --field-selector ${selector}`;
    expect(await run(line, objects)).toMatchObject({ code: 2, lines: [], error });
  });
});

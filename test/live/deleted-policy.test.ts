import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { DeletionChain } from '../../src/questions/deleted/document.ts';
import { askingOf } from '../support/asking.ts';
import { eventually } from '../support/eventually.ts';
import { ownControlPlane } from '../support/own-control-plane.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** The policy that docs/audit-log.md gives, loaded by a real API server. */
const [, policy = ''] =
  /```yaml\n([\s\S]*?)```/.exec(readFileSync('docs/audit-log.md', 'utf8')) ?? [];
const folder = temporaryFolder();
const auditLog = join(folder, 'audit.log');
writeFileSync(join(folder, 'policy.yaml'), policy);
const plane = await ownControlPlane({
  controllers: 'none',
  apiServerArgs: [
    `--audit-policy-file=${join(folder, 'policy.yaml')}`,
    `--audit-log-path=${auditLog}`,
  ],
});

const logged = () =>
  readFileSync(auditLog, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));

test('the documented policy has 12 lines at most, logs deletions, and neither reads nor Leases', async () => {
  expect(policy.trim().split('\n').length).toBeLessThanOrEqual(12);
  await plane.make('ConfigMap default/settings');
  await plane.make('Lease default/leader');
  await plane.get('ConfigMap default/settings');
  await plane.remove('Lease default/leader');
  await plane.remove('ConfigMap default/settings');
  const isDeletion = ({ verb, objectRef }: { verb: string; objectRef?: { name?: string } }) =>
    verb === 'delete' && objectRef?.name === 'settings';
  const lines = await eventually('the deletion in the log', async () => {
    const all = logged();
    return all.some(isDeletion) ? all : undefined;
  });
  const verbs = new Set(lines.map(({ verb }) => verb));
  for (const verb of ['get', 'list', 'watch']) expect(verbs).not.toContain(verb);
  const kinds = new Set(lines.map(({ objectRef }) => objectRef?.resource));
  for (const kind of ['leases', 'events']) expect(kinds).not.toContain(kind);
  expect(new Set(lines.map(({ stage }) => stage))).toEqual(new Set(['ResponseComplete']));

  const { json } = askingOf(plane);
  const { removal } = await json<DeletionChain>(
    `deleted configmap/settings -n default --audit-log ${auditLog}`,
  );
  expect(removal.links).toMatchObject([{ cause: 'request', certainty: 'seen' }]);
});

import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { LoggedRequest } from '../support/compare-removals.ts';
import type { TrueRemovals } from '../support/true-removals.ts';
import type { Stage } from './deleted-stage.ts';

/** Fields that say nothing of ownership or deletion. */
const contents = [
  'data',
  'stringData',
  'binaryData',
  'managedFields',
  'annotations',
  'extra',
  'openAPIV3Schema',
];
const workloads = ['deployments', 'replicasets', 'statefulsets', 'jobs', 'daemonsets'];

/**
 * Writes what was played for tests that have no control plane: `audit.log.gz`, `truth.json.gz` (TrueRemovals) and these of
 * the snapshots `before.json.gz` and `after.json.gz`.
 */
export function record(
  stage: Stage,
  truth: TrueRemovals,
  folder: string,
  snapshots: readonly string[],
): void {
  const { level, usesServiceAccounts } = stage.options;
  const name = `${level.toLowerCase()}${usesServiceAccounts ? '-service-accounts' : ''}`;
  const home = join(folder, name);
  rmSync(home, { recursive: true, force: true });
  mkdirSync(home, { recursive: true });
  writeGzip(join(home, 'audit.log.gz'), `${stage.auditLog().flatMap(trimmed).join('\n')}\n`);
  const removals = truth.removals.map((removal) => `  ${JSON.stringify(removal)}`);
  const head = JSON.stringify({ level, usesServiceAccounts }).slice(0, -1);
  writeGzip(join(home, 'truth.json.gz'), `${head},"removals":[\n${removals.join(',\n')}\n]}\n`);
  for (const moment of snapshots) {
    const file = `${moment}.json.gz`;
    cpSync(join(stage.folder, file), join(home, file));
  }
}

/** Without the API server's own objects, what every namespace gets, and reports of status. */
function trimmed(line: string): string[] {
  const { user, objectRef } = JSON.parse(line) as LoggedRequest;
  if (!objectRef) return [];
  const { resource, namespace, name, subresource } = objectRef;
  const isOwn = user.username === 'system:apiserver' && resource !== 'customresourcedefinitions';
  const isReport = subresource === 'status' && workloads.includes(resource);
  const isMadeForAll =
    (name === 'kube-root-ca.crt' && namespace !== 'recreated-by-controller') ||
    (resource === 'serviceaccounts' && name === 'default');
  if (isOwn || isReport || isMadeForAll) return [];
  return [
    JSON.stringify(JSON.parse(line), (key, value) => (contents.includes(key) ? undefined : value)),
  ];
}

function writeGzip(path: string, text: string): void {
  writeFileSync(path, gzipSync(text, { level: 9 }));
}

import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import type { Run } from '../support/command-line.ts';
import { eventually } from '../support/eventually.ts';
import { endsWell, helpExamples, inBash } from '../support/help-examples.ts';
import { ownControlPlane } from '../support/own-control-plane.ts';
import { policyReportDefinitions } from '../support/policy-report-definitions.ts';
import { bash, gc } from '../support/run-gc.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { startWatching } from '../support/watching.ts';

/** The examples of help that need a cluster, in a folder with the files that they name. */
const folder = temporaryFolder();
const examples = (await helpExamples()).filter(({ place }) => place === 'cluster');

const web = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop, labels: {app: web}}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: example.com/web}]}
`;
const shop = `
apiVersion: v1
kind: Namespace
metadata: {name: shop}
---${web}---
apiVersion: v1
kind: Secret
metadata: {name: web-session-keys, namespace: shop}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data, namespace: shop, finalizers: [example.com/backup]}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
---
apiVersion: v1
kind: Node
metadata: {name: worker-1}
`;
const scenario = `
apiVersion: kubectl-gc/v1
kind: Scenario
requests: [{verb: delete, apiVersion: apps/v1, kind: Deployment, namespace: shop, name: web}]
`;

const environment = () => ({ KUBECONFIG: plane.kubeconfigPath, KUBECTL_GC_BACKUP_DIR: folder });

const plane = await ownControlPlane({
  controllers: ['*', '-node-lifecycle-controller', '-taint-eviction-controller'],
  definitions: policyReportDefinitions(),
});
beforeAll(async () => {
  const files = { 'web.yaml': web, 'dump.yaml': web, 'scenario.yaml': scenario };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  for (const name of ['manifests', 'dump', 'clusters', 'rendered/new', 'rendered/old']) {
    mkdirSync(join(folder, name), { recursive: true });
    writeFileSync(join(folder, name, 'web.yaml'), web);
  }
  cpSync('examples/settings/kube-controller-manager.yaml', join(folder, 'manifests', 'kcm.yaml'));
  await plane.kubectl(['apply', '-f', '-'], { input: shop });
  for (const name of ['before', 'monday', 'tuesday']) {
    await gc(`snapshot save ${join(folder, name)}.json.gz`, { env: environment() });
  }
  cpSync(join(folder, 'before.json.gz'), join(folder, 'clusters', 'here.json.gz'));
  const backup = join(folder, 'backup');
  await gc(`delete deployment/web -n shop --yes --backup ${backup}`, { env: environment() });
  const { contexts } = JSON.parse((await plane.kubectl(['config', 'view', '-o', 'json'])).stdout);
  const { cluster, user } = contexts[0].context;
  const named = [`--cluster=${cluster}`, `--user=${user}`];
  await plane.kubectl(['config', 'set-context', 'production', ...named]);
});

async function interrupted(line: string): Promise<Run> {
  const running = startWatching(line, environment());
  const answered = async () => running.stdout() + running.stderr() !== '';
  await eventually(`${line} answers`, answered);
  return running.end();
}

/** Every example finds the shop as it was. */
beforeEach(async () => {
  await plane.kubectl(['apply', '-f', '-'], { input: shop });
});

test.each(examples)('$line', async ({ command, line }) => {
  // Deleted, it waits for the finalizer; so the namespace would, too.
  const isHeld = line.includes('pvc/data');
  if (isHeld) await plane.remove('PersistentVolumeClaim shop/data');
  else await plane.patch('PersistentVolumeClaim shop/data', { metadata: { finalizers: null } });
  if (command === 'restore') await plane.kubectl(['delete', 'deployment/web', '-n', 'shop']);
  // Here a controller manager runs, and there is no terminal to ask on.
  const more = command === 'run-controllers' ? '--beside-controller-manager' : '--yes';
  const shown =
    command === 'run-controllers' || line.includes('--apply') ? `${line} ${more}` : line;
  // These go on until Ctrl-C, which comes once they have answered.
  const goesOn = command === 'view' || command === 'guard' || line.includes('--watch');
  const { code, stdout, stderr } = goesOn
    ? await interrupted(line.replace(/^kubectl gc /, ''))
    : await bash(`cd ${folder}; ${inBash(shown)}`, { env: environment() });
  const isEnded = line.includes('--watch') ? code === 130 : endsWell(command, code);
  expect([stderr, isEnded]).toEqual([stderr, true]);
  // Where no agent asks, there is no answer, and metrics go to their file.
  const isSilent = command === 'mcp' || line.includes('--metrics-file');
  expect(stdout + stderr === '').toBe(isSilent);
});

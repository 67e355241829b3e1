import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildControlPlane } from '../../scripts/control-plane.mjs';
import type { DeletionChain } from '../../src/questions/deleted/document.ts';
import { eventually } from '../support/eventually.ts';
import { gcHere } from '../support/run-here.ts';
import { podSpec } from './deleted-scene.ts';
import { type Stage, startControllersAsThemselves, startStage } from './deleted-stage.ts';

/**
 * The instance of a Node disappears from its cloud: the cloud-node-lifecycle controller of a real cloud-controller-manager
 * deletes the Node, and then pod GC its Pods. Its cloud is a file with the names of Nodes.
 */
const manager = 'system:cloud-controller-manager';

describe.each([true, false])('accounts of controllers: %s', (usesServiceAccounts) => {
  let stage: Stage;
  const instances = () => join(stage.folder, 'instances');
  const earlier = () => join(stage.folder, 'before.json.gz');

  beforeAll(async () => {
    const binaries = await buildControlPlane({
      binaries: ['cloud-controller-manager'],
      say: () => undefined,
    });
    stage = await startStage({ level: 'Metadata', usesServiceAccounts }, []);
    const { plane } = stage;
    await startControllersAsThemselves(stage, ['*'], ['--node-monitor-grace-period=30m']);
    for (const node of ['worker-1', 'worker-2']) {
      await plane.make(`Node ${node}`, { spec: { providerID: `file://${node}` } });
      await plane.make(`Pod default/on-${node}`, { spec: podSpec({ nodeName: node }) });
    }
    writeFileSync(instances(), 'worker-1\nworker-2\n');
    startManager(stage, binaries, instances());
    await stage.saveSnapshot(earlier());
    writeFileSync(instances(), 'worker-2\n');
    await eventually('the end of its Pod', async () => {
      const { status } = await plane.request('/api/v1/namespaces/default/pods/on-worker-1');
      return status === 404;
    });
  }, 600_000);
  afterAll(() => stage.stop());

  test('a Node is deleted by the cloud-node-lifecycle controller, its Pod after it, and no other Node', async () => {
    const by = usesServiceAccounts
      ? { cause: 'controller', controller: 'cloud-node-lifecycle-controller', rule: 'NODE-1' }
      : { cause: 'request', requester: { user: manager } };
    const node = { object: { kind: 'Node', name: 'worker-1' }, certainty: 'seen', ...by };
    expect(await linksOf('node/worker-1')).toMatchObject([node]);
    const pod = { cause: 'controller', controller: 'pod-garbage-collector-controller' };
    expect(await linksOf('pod/on-worker-1')).toMatchObject([pod, node]);
    expect((await stage.plane.request('/api/v1/nodes/worker-2')).status).toBe(200);
  });

  async function linksOf(target: string) {
    const sources = `--audit-log ${stage.auditPath} --before ${earlier()}`;
    const { stdout } = await gcHere(`deleted ${target} -n default ${sources} -o json`);
    return (JSON.parse(stdout) as DeletionChain).removal.links;
  }
});

/** Stops with the stage. */
function startManager({ plane, options, running }: Stage, binaries: string, instances: string) {
  const kubeconfig = plane.kubeconfigFor({ user: manager, groups: ['system:masters'] });
  const flags = [
    '--controllers=cloud-node-lifecycle-controller',
    `--use-service-account-credentials=${options.usesServiceAccounts}`,
    ...[kubeconfig].flatMap((path) => [
      `--kubeconfig=${path}`,
      `--authentication-kubeconfig=${path}`,
      `--authorization-kubeconfig=${path}`,
    ]),
    '--cloud-provider=file',
    '--leader-elect=false',
    '--bind-address=127.0.0.1',
    '--secure-port=0',
    '--node-monitor-period=1s',
  ];
  const env = { ...process.env, CLOUD_INSTANCES: instances };
  const child = spawn(join(binaries, 'cloud-controller-manager'), flags, { env, stdio: 'ignore' });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  running.push({
    stop: async () => {
      child.kill();
      await ended;
    },
  });
}

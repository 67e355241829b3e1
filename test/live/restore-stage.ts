import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import type { ClusterClient } from '../../src/cluster/connection/cluster-client.ts';
import { connect } from '../../src/cluster/connection/connect.ts';
import { discover } from '../../src/cluster/list/discover.ts';
import type { Fate, PlannedObject } from '../../src/deletion/plan/plan.ts';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import { writeBackup } from '../../src/restore/backup/write-backup.ts';
import type { Restoration } from '../../src/restore/plan/restoration.ts';
import { validatorOf } from '../contract/valid-document.ts';
import type { Cluster } from '../support/cluster.ts';
import { eventually, untilGone } from '../support/eventually.ts';
import { gcHere } from '../support/run-here.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';

/** Namespaces to delete and restore in, backups of what is in them, and the command line on them. */
export function restoreStage(...namespaces: readonly string[]) {
  const cluster = sharedControlPlane();
  const folder = mkdtempSync(join(tmpdir(), 'kubectl-gc-restore-'));
  const valid = { restore: validatorOf('restore'), backup: validatorOf('backup') };
  let client: ClusterClient;
  let clusterUid: string;

  beforeAll(async () => {
    for (const name of namespaces) {
      await cluster.make(`Namespace ${name}`);
    }
    client = await connect({ kubeconfig: cluster.kubeconfigPath });
    const { metadata } = await cluster.get<KubeObject>('/api/v1/namespaces/kube-system');
    clusterUid = String(metadata.uid);
  });
  afterAll(async () => {
    client.close();
    for (const name of namespaces) {
      await cluster.remove(`/api/v1/namespaces/${name}`);
    }
    rmSync(folder, { recursive: true });
  });

  /** Saves objects as a plan would that lets them go. */
  async function backUp(name: string, ...objects: [KubeObject, Fate?][]): Promise<string> {
    const directory = join(folder, name);
    const { types } = await discover(client);
    const { problems } = await writeBackup(
      {
        apiVersion: 'kubectl-gc/v1',
        kind: 'Plan',
        cluster: { server: client.server, uid: clusterUid },
        createdAt: '2026-01-31T12:00:00Z',
        requests: [],
        objects: objects.map(([object, fate = 'deleted']) => plannedOf(object, fate)),
        remarks: [],
        undetermined: [],
        coverage: { complete: true, kinds: 0, objects: 0, problems: [] },
      },
      client,
      types,
      { directory },
    );
    expect(problems).toEqual([]);
    valid.backup(JSON.parse(readFileSync(join(directory, 'backup.json'), 'utf8')));
    expect(valid.backup.errors).toBeNull();
    return directory;
  }

  async function restoreOf(line: string, code = 0) {
    const run = await gcHere(`restore ${line} -o json --kubeconfig ${cluster.kubeconfigPath}`);
    expect(run.code, run.stderr).toBe(code);
    const document = JSON.parse(run.stdout) as Restoration;
    valid.restore(document);
    expect(valid.restore.errors).toBeNull();
    const ends = document.objects.map(({ kind, name, action, outcome }) => {
      return [`${kind} ${name}`, outcome ?? action];
    });
    return {
      document,
      stderr: run.stderr,
      ends: Object.fromEntries(ends) as Record<string, string>,
    };
  }

  async function remove(path: string, policy = 'Background'): Promise<void> {
    await cluster.remove(path, { propagationPolicy: policy });
    await untilGone(cluster, path);
  }

  return { cluster, folder, backUp, restoreOf, remove };
}

function plannedOf(object: KubeObject, fate: Fate): PlannedObject {
  const { apiVersion, kind, metadata } = object;
  return {
    apiVersion,
    kind,
    namespace: String(metadata.namespace ?? ''),
    name: String(metadata.name),
    uid: String(metadata.uid),
    wave: 1,
    fate,
    because: '',
    rule: '',
    blockedBy: [],
  };
}

/** An owner reference to this object. */
export const refTo = ({ apiVersion, kind, metadata: { name, uid } }: KubeObject) => ({
  apiVersion,
  kind,
  name,
  uid,
});

/** Lets nothing of a resource be created in a namespace; answers what allows it again. */
export async function noMore(
  cluster: Cluster,
  namespace: string,
  resource: string,
): Promise<() => Promise<void>> {
  const quota = `ResourceQuota ${namespace}/none`;
  await cluster.make(quota, { spec: { hard: { [resource]: '0' } } });
  await eventually('the quota', async () => {
    const { status } = await cluster.get(quota);
    return (status as { hard?: object } | undefined)?.hard;
  });
  return async () => {
    await cluster.remove(quota);
    await untilGone(cluster, quota);
  };
}

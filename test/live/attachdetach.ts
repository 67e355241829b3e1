import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Plan } from '../../src/deletion/plan/plan.ts';
import type { ForecastReport } from '../../src/questions/forecast/document.ts';
import { askingOf } from '../support/asking.ts';
import type { ControlPlane } from '../support/control-plane.ts';
import { eventually } from '../support/eventually.ts';
import { claimSpec, volumeSpec } from '../support/volumes.ts';

/**
 * Volumes that are detached on a control plane of which no controller runs yet. `forced` resolves minutes later with how
 * long it took until the last of them was.
 */
export function detachVolumes(plane: ControlPlane): { readonly forced: () => Promise<number> } {
  const { json } = askingOf(plane);
  const driver = 'disk.example.com';

  /** As kube-controller-manager names it. */
  const digest = (handle: string, node: string) =>
    `csi-${createHash('sha256').update(`${handle}${driver}${node}`).digest('hex')}`;

  async function node(name: string, ready: string, inUse?: string, taints: object[] = []) {
    const annotations = { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' };
    await plane.make(`Node ${name}`, { metadata: { annotations }, spec: { taints } });
    const volume = `kubernetes.io/csi/${driver}^${inUse}`;
    await plane.report(`Node ${name}`, {
      conditions: [{ type: 'Ready', status: ready }],
      ...(inUse && { volumesInUse: [volume], volumesAttached: [{ name: volume, devicePath: '' }] }),
    });
  }

  /** A bound claim, its volume, and what attaches it to a Node. */
  async function attached(name: string, nodeName: string, called = digest(name, nodeName)) {
    const { uid } = (
      await plane.make(`PersistentVolumeClaim default/${name}`, {
        spec: { ...claimSpec, volumeName: name },
      })
    ).metadata;
    const claimRef = { namespace: 'default', name, uid };
    const csi = { driver, volumeHandle: name };
    const spec = volumeSpec(name, { claimRef, hostPath: undefined, csi });
    await plane.make(`PersistentVolume ${name}`, { spec });
    for (const path of [`PersistentVolume ${name}`, `PersistentVolumeClaim default/${name}`])
      await plane.report(path, { phase: 'Bound' });
    await plane.make(`VolumeAttachment ${called}`, {
      metadata: { labels: { volume: name } },
      spec: { attacher: driver, nodeName, source: { persistentVolumeName: name } },
    });
    await plane.report(`VolumeAttachment ${called}`, { attached: true });
  }

  /** A pod that mounts the claim; one of a container's state is being deleted. */
  async function pod(name: string, claimName: string, phase = 'Running', state?: object) {
    await plane.make(`Pod default/${name}`, {
      spec: {
        nodeName: 'alive',
        containers: [{ name: 'main', image: 'example.com/main' }],
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }],
      },
    });
    await plane.report(`Pod default/${name}`, { phase });
    if (!state) return;
    const status = { name: 'main', ready: false, restartCount: 0, image: '', imageID: '', state };
    await plane.report(`Pod default/${name}`, { containerStatuses: [status] });
    await plane.remove(`Pod default/${name}`, { gracePeriodSeconds: 600 });
  }

  /** The volume of each attachment, by the name of that. */
  async function volumes(): Promise<ReadonlyMap<unknown, string>> {
    const found = await plane.list('VolumeAttachment ');
    return new Map(
      found.map(({ metadata }) => [
        metadata.name,
        (metadata.labels as { volume: string } | undefined)?.volume ?? '',
      ]),
    );
  }

  /** Until only these are attached. */
  const untilLeft = (names: string, meanwhile?: () => Promise<unknown>, seconds?: number) =>
    eventually(
      `only ${names} are attached`,
      async () => {
        await meanwhile?.();
        const left = [...(await volumes()).values()].sort();
        if (left.length > names.split(' ').length) return false;
        expect(left.join(' ')).toBe(names);
        return true;
      },
      seconds,
    );

  let forced: Promise<number>;
  test('volumes are detached from Nodes without a pod for them, as forecast and planned', async () => {
    const outOfService = { key: 'node.kubernetes.io/out-of-service', effect: 'NoExecute' };
    await node('alive', 'True');
    await node('silent', 'Unknown', 'mounted');
    await node('out', 'Unknown', 'lost', [outOfService]);
    for (const name of ['used', 'ended', 'stopped', 'stopping']) await attached(name, 'alive');
    await attached('mounted', 'silent');
    await attached('lost', 'out');
    await attached('alone', 'gone');
    await attached('by-hand', 'gone', 'by-hand');
    await pod('user', 'used');
    await pod('done', 'ended', 'Succeeded');
    await pod('stopped', 'stopped', 'Running', { terminated: { exitCode: 0 } });
    await pod('stopping', 'stopping', 'Running', { running: {} });

    const { items } = await json<ForecastReport>('forecast --collector attachdetach');
    const named = await volumes();
    const told = items.map(
      ({ object, action, confidence }) => `${named.get(object.name)} ${action} ${confidence}`,
    );
    expect(told.sort()).toEqual([
      'alone delete certain',
      'ended delete likely',
      'lost delete certain',
      'mounted delete certain',
      'stopped delete likely',
      // When its kubelet has ended it: here it has none.
      'stopping delete likely',
    ]);

    await plane.startControllers(['persistentvolume-attach-detach-controller']);
    const started = Date.now();
    await untilLeft('alone by-hand ended mounted stopped stopping used');
    // A controller that starts takes all for mounted until the Node reports.
    let reports = 0;
    const report = () =>
      plane.report('Node alive', {
        conditions: [{ type: 'Ready', status: 'True', message: `${reports++}` }],
      });
    await report();
    await untilLeft('alone by-hand mounted stopping used');

    const { objects } = await json<Plan>('delete pod/user -n default --preview');
    expect(objects.map(({ kind, fate, likely }) => [kind, fate, likely ?? false])).toEqual([
      ['Pod', 'deleted', false],
      ['VolumeAttachment', 'deleted', true],
    ]);
    await plane.remove('Pod default/user', { gracePeriodSeconds: 0 });
    await untilLeft('alone by-hand mounted stopping', report);
    // By force.
    forced = untilLeft('by-hand stopping', undefined, 480).then(() => Date.now() - started);
    forced.catch(() => undefined);
  });

  return { forced: () => forced };
}

import { expect, test } from 'vitest';
import { ofProvisioner } from '../../src/controllers/volumes/volume-deleter.ts';
import { controllerOn, isNotFound, reclaimerOf } from '../../src/programs/driver-programs.ts';
import { knownFinalizer } from '../../src/programs/known-finalizers.ts';
import { programLives } from '../../src/programs/program-life.ts';
import { ago, hour, now } from '../controllers/decided.ts';
import { objectsFrom } from '../support/objects-from.ts';

const of = (driver: string, policy = 'Delete') =>
  `{annotations: {pv.kubernetes.io/provisioned-by: ${driver}}, facts: {persistentVolumeReclaimPolicy: ${policy}}}`;
const lease = (at: string) => `{facts: {renewTime: "${at}", leaseDurationSeconds: 15}}`;
const objects = objectsFrom(`
  volume   | PersistentVolume data  | ${of('driver.longhorn.io')}
  path     | PersistentVolume local | ${of('rancher.io/local-path')}
  retained | PersistentVolume kept  | ${of('driver.longhorn.io', 'Retain')}
  static   | PersistentVolume nfs   | {facts: {persistentVolumeReclaimPolicy: Delete, source: {nfs: true}}}
  claim    | PersistentVolumeClaim data
  other    | Deployment csi-provisioner | {facts: {replicas: 1, readyReplicas: 1}}
  lease    | Lease driver-longhorn-io | ${lease(ago(5000))}
  stale    | Lease driver-longhorn-io | ${lease(ago(hour))}
  of-path  | Lease rancher.io-local-path | ${lease(ago(5000))}
`);

function controllerOf(finalizer: string, name: string) {
  const [object] = objects(name);
  const known = object && knownFinalizer(finalizer, object.type);
  return known && controllerOn(known, finalizer, object);
}

test('a finalizer of a driver is removed by the sidecar of that driver', () => {
  const titles = [
    controllerOf(ofProvisioner, 'volume'),
    controllerOf('external-attacher/driver-longhorn-io', 'volume'),
    controllerOf('kubernetes.io/pvc-protection', 'claim'),
  ].map((controller) => [controller?.title, controller?.leases]);
  expect(titles).toEqual([
    ['external-provisioner of driver.longhorn.io', ['driver-longhorn-io', 'driver.longhorn.io']],
    ['external-attacher of driver-longhorn-io', ['external-attacher-leader-driver-longhorn-io']],
    ['PVC protection controller', ['kube-controller-manager']],
  ]);
});

test('only a provisioner deletes what another program than kube-controller-manager has to delete', () => {
  const reclaimers = objects('volume; path; retained; static; claim').map(reclaimerOf);
  expect(reclaimers.map((one) => one?.title)).toEqual([
    'external-provisioner of driver.longhorn.io',
    'external-provisioner of rancher.io/local-path',
    ...[undefined, undefined, undefined],
  ]);
});

test('the Lease of its driver shows whether a provisioner runs, and one of another driver does not', () => {
  const lifeOf = (there: string) => {
    const [volume, ...records] = objects(there);
    const controller = volume && reclaimerOf(volume);
    if (!controller) throw new Error('no provisioner');
    const life = programLives({ records, unread: [], now, ofCluster: true })(controller)('');
    return [life.state, isNotFound(life)];
  };
  expect(
    [
      'volume',
      'volume; other',
      'volume; other; lease',
      'volume; lease',
      'path; of-path',
      'volume; stale',
      'path; lease',
    ].map(lifeOf),
  ).toEqual([
    ['unclear', true],
    ['unclear', false],
    ['runs', false],
    ['runs', false],
    ['runs', false],
    ['down', false],
    ['unclear', true],
  ]);
});

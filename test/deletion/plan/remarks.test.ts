import { describe, expect, test } from 'vitest';
import { removalOf } from '../../../src/deletion/plan/fates.ts';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import {
  blocking,
  builderOf,
  configMap,
  deployment,
  node,
  ownedBy,
  pod,
  replicaSet,
  widget,
} from '../../support/builders.ts';
import { planned } from './planned.ts';
import { by, namespace, told, unbound } from './told.ts';

const claim = builderOf('v1', 'PersistentVolumeClaim');
const volume = builderOf('v1', 'PersistentVolume');
const statefulSet = builderOf('apps/v1', 'StatefulSet');

describe('what is orphaned', () => {
  const labels = { app: 'web' };
  const selector = { matchLabels: labels };
  const mine = replicaSet('mine', { facts: { replicas: 2, selector } });
  const pods = ['a', 'b'].map((name) => pod(name, { ...by(mine), labels, facts: unbound }));
  const orphan = { policy: 'Orphan' } as const;

  test('waits for a new controller where none fits', () => {
    expect(told([mine, ...pods], mine, orphan)).toEqual([
      'note adopted: Nothing that was seen adopts Pod a, Pod b; a new controller with the same selector would adopt them.',
    ]);
    const unfit = replicaSet('unfit', {
      facts: { selector: { matchExpressions: [{ key: 'app', operator: 'DoesNotExist' }] } },
    });
    expect(told([mine, ...pods, unfit], mine, orphan)[0]).toMatch('Nothing that was seen adopts');
  });

  test('goes to one of several where more than one fits', () => {
    const [one, two] = ['one', 'two'].map((name) =>
      replicaSet(name, { facts: { replicas: 3, selector } }),
    ) as [ObjectRecord, ObjectRecord];
    expect(told([mine, ...pods, one, two], mine, orphan)).toEqual([
      'note adopted: ReplicaSet one, ReplicaSet two have matching selectors: one of them adopts Pod a, Pod b.',
    ]);
  });
});

describe('volumes', () => {
  const data = claim('data', { facts: { volumeName: 'pv-1' } });
  const disk = (policy?: string) =>
    volume('pv-1', {
      facts: {
        phase: 'Bound',
        claimRef: { namespace: 'shop', name: 'data', uid: data.uid },
        ...(policy !== undefined && { persistentVolumeReclaimPolicy: policy }),
      },
    });

  test('go or stay by their reclaim policy', () => {
    expect(told([data, disk('Delete')], data)).toEqual([
      'warning data: The data of PersistentVolume pv-1 goes with PersistentVolumeClaim data: reclaim policy Delete. Set the policy to Retain before, to keep it.',
    ]);
    expect(told([data, disk('Retain')], data)).toEqual([
      'note volume: PersistentVolume pv-1: reclaim policy Retain, it stays Released with its data when PersistentVolumeClaim data is gone.',
    ]);
    expect(told([claim('data')], claim('data'))).toEqual([
      'warning data: Whether the data of PersistentVolumeClaim data goes is not known: the reclaim policy of its volume was not read.',
    ]);
    const pending = claim('data', { facts: { phase: 'Pending' } });
    expect(told([pending], pending)).toEqual([]);
  });

  test('of a StatefulSet stay behind, or go with it', () => {
    const db = statefulSet('db', { facts: { replicas: 1, volumeClaimTemplates: ['data'] } });
    const own = claim('data-db-0', { facts: { volumeName: 'pv-1' } });
    const other = claim('logs-db-0');
    expect(told([db, own, other], db)).toEqual([
      'note volume: 1 claim of StatefulSet db stays behind: PersistentVolumeClaim data-db-0 (retention policy Retain).',
    ]);
    const blank = statefulSet('db');
    expect(told([blank, own, other], blank)).toEqual([
      'note volume: 2 claims of StatefulSet db stay behind: PersistentVolumeClaim data-db-0, PersistentVolumeClaim logs-db-0 (its retention policy was not read).',
    ]);
    const facts = { ...db.facts, persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete' } };
    expect(told([{ ...db, facts }, own], { ...db, facts })).toEqual([
      'warning volume: 1 claim of StatefulSet db may go with it, or stay behind: PersistentVolumeClaim data-db-0 (retention policy Delete, but no reference to the set is in place yet).',
    ]);
  });

  test('and their protection ends when nothing uses them any more', () => {
    const guarded = {
      ...data,
      finalizers: ['kubernetes.io/pvc-protection'],
    };
    const user = pod('user', {
      facts: { nodeName: 'a', volumes: [{ name: 'disk', claimName: 'data' }] },
    });
    const gone = `requested; it is marked as being deleted with a grace period of 30 s; its containers on a have stopped: the grace period of 30 s is over`;
    const fate = (records: readonly ObjectRecord[], targets: readonly ObjectRecord[]) =>
      planned(records, targets).objects.map(({ name, fate: end, because }) => [name, end, because]);
    const marked =
      'requested; it is marked as being deleted and waits for kubernetes.io/pvc-protection';
    expect(fate([node('a'), guarded, user], [guarded, user])).toEqual([
      [
        'data',
        'deleted',
        `${marked}; it is being deleted and no pod uses it, so kubernetes.io/pvc-protection is removed; Pod user uses it, and is gone within 30 s`,
      ],
      ['user', 'deleted', gone],
    ]);
    expect(fate([node('a'), guarded, user], [guarded])).toEqual([
      [
        'data',
        'terminating',
        `requested; it is marked as being deleted and waits for kubernetes.io/pvc-protection; used by Pod user; ${removalOf('kubernetes.io/pvc-protection')}`,
      ],
    ]);
  });
});

describe('finalizers', () => {
  const finalizers = ['finalizer.acme.cert-manager.io'];
  const program = deployment('cert-manager', { namespace: 'shop' });
  const held = widget('order', { finalizers });
  const shop = namespace('shop');
  const deadlocks = (...lines: Parameters<typeof told>) =>
    told(...lines).filter((line) => line.includes('finalizer-deadlock'));

  test('that no program will remove are announced, with the order that avoids it', () => {
    expect(deadlocks([shop, program, held], shop)).toEqual([
      'warning finalizer-deadlock: Deployment cert-manager, which removes finalizer finalizer.acme.cert-manager.io from 1 Widget, is deleted as well: what it leaves never finishes terminating. Delete Widget order first and wait until it is gone, then Namespace shop.',
    ]);
    expect(deadlocks([program, held], [program, held])).toHaveLength(1);
  });

  test('are not, where their program stays', () => {
    expect(deadlocks([program, held], held)).toEqual([]);
    const elsewhere = deployment('cert-manager', { namespace: 'bank' });
    expect(deadlocks([shop, program, elsewhere, held], shop)).toEqual([]);
  });

  test('are announced as well where another program of many stays, as it may not be theirs', () => {
    const finalizers = ['external-provisioner.volume.kubernetes.io/finalizer'];
    const disk = volume('disk', { finalizers });
    const own = deployment('csi-provisioner', { namespace: 'shop' });
    const other = deployment('csi-provisioner', { namespace: 'bank' });
    expect(deadlocks([shop, own, other, disk], [shop, disk])).toEqual([
      'warning finalizer-deadlock: Which program removes finalizer external-provisioner.volume.kubernetes.io/finalizer from 1 PersistentVolume is not known. If it is Deployment csi-provisioner, that is deleted as well, and what it leaves never finishes terminating. Delete PersistentVolume disk first and wait until it is gone, then Namespace shop.',
    ]);
    expect(deadlocks([own, other, disk], disk)).toEqual([]);
  });

  test('of unknown programs are guessed by their domain', () => {
    const own = deployment('pinball-operator');
    const game = widget('game', { finalizers: ['pinball.arcade.dev/cleanup'] });
    expect(deadlocks([own, game], [own, game])).toEqual([
      'warning finalizer-deadlock: Deployment pinball-operator, which by its name removes finalizer pinball.arcade.dev/cleanup from 1 Widget, is deleted as well: what it leaves never finishes terminating. Delete Widget game first and wait until it is gone, then Deployment pinball-operator.',
    ]);
    const away = deployment('web');
    expect(deadlocks([away, game], [away, game])).toEqual([]);
  });

  test('of unknown programs are guessed by the kind that they are on, and by short domains', () => {
    const gear = widget('gear', { finalizers: ['example.com/cleanup'] });
    const own = deployment('widget-operator-controller-manager');
    expect(deadlocks([own, gear], [own, gear])).toEqual([
      'warning finalizer-deadlock: Deployment widget-operator-controller-manager, which by its name removes finalizer example.com/cleanup from 1 Widget, is deleted as well: what it leaves never finishes terminating. Delete Widget gear first and wait until it is gone, then Deployment widget-operator-controller-manager.',
    ]);
    const main = widget('main', { finalizers: ['db.arcade.dev/cleanup'] });
    const base = deployment('db-operator');
    expect(deadlocks([base, main], [base, main])[0]).toMatch(
      'Deployment db-operator, which by its',
    );
    const short = deployment('db');
    expect(deadlocks([short, main], [short, main])).toEqual([]);
  });

  test('of unknown programs may be those of any operator that goes as well', () => {
    const game = widget('game', { finalizers: ['pinball.arcade.dev/cleanup'] });
    const some = deployment('arcade-ops-operator');
    expect(deadlocks([shop, some, game], shop)).toEqual([
      'warning finalizer-deadlock: Which program removes finalizer pinball.arcade.dev/cleanup from 1 Widget is not known. If it is Deployment arcade-ops-operator, that is deleted as well, and what it leaves never finishes terminating. Delete Widget game first and wait until it is gone, then Namespace shop.',
    ]);
    const own = deployment('pinball-operator', { namespace: 'bank' });
    expect(deadlocks([shop, some, own, game], shop)).toEqual([]);
  });
});

test('foreground says for whom it does not wait', () => {
  const web = deployment('web');
  const loose = configMap('loose', { ownerReferences: [ownedBy(web)] });
  const tight = configMap('tight', { ownerReferences: [ownedBy(web, blocking)] });
  expect(told([node('a'), web, loose, tight], web, { policy: 'Foreground' })).toEqual([
    'note not-waited-for: Foreground does not wait for 1 dependent without blockOwnerDeletion: ConfigMap loose. Deployment web may be gone before it is.',
  ]);
  expect(told([node('a'), web, loose, tight], web)).toEqual([]);
});

test('a protection is not said to end where its users were not read', () => {
  const guarded = claim('data', { finalizers: ['kubernetes.io/pvc-protection'] });
  const fate = (options: { unread?: string[] }) =>
    planned([guarded], guarded, {}, options).objects.map((object) => object.fate);
  expect(fate({})).toEqual(['deleted']);
  expect(fate({ unread: ['pods'] })).toEqual(['terminating']);
});

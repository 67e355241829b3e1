import { describe, expect, test } from 'vitest';
import { removalOf } from '../../../src/deletion/plan/fates.ts';
import { fatesOfPlan } from './planned.ts';
import { casesOfPlans, plansFrom, remarksOf } from './told.ts';

describe('what is orphaned', () => {
  const selector = '{matchLabels: {app: web}}';
  const none =
    'note adopted: Nothing that was seen adopts Pod a, Pod b; a new controller with the same selector would adopt them.';
  casesOfPlans(
    remarksOf,
    `
    mine  | ReplicaSet mine  | {facts: {replicas: 2, selector: ${selector}}}
    one   | ReplicaSet one   | {facts: {replicas: 3, selector: ${selector}}}
    two   | ReplicaSet two   | {facts: {replicas: 3, selector: ${selector}}}
    unfit | ReplicaSet unfit | {facts: {selector: {matchExpressions: [{key: app, operator: DoesNotExist}]}}}
    a     | Pod a | {under: mine, labels: {app: web}, facts: {nodeName: ""}}
    b     | Pod b | {under: mine, labels: {app: web}, facts: {nodeName: ""}}
    `,
    `
    waits for a new controller where there is none | mine; a; b        | {policy: Orphan} | ${none}
    waits for one where none fits                  | mine; a; b; unfit | {policy: Orphan} | ${none}
    goes to one of several where more than one fits | mine; a; b; one; two | {policy: Orphan}
        | note adopted: ReplicaSet one, ReplicaSet two have matching selectors: one of them adopts Pod a, Pod b.
    `,
  );
});

describe('volumes', () => {
  const planOf = plansFrom(`
    data | PersistentVolumeClaim data | {facts: {volumeName: pv-1}, finalizers: [kubernetes.io/pvc-protection]}
    user | Pod user | {facts: {nodeName: a, volumes: [{name: disk, claimName: data}]}}
    node | Node a
    `);
  const marked =
    'requested; it is marked as being deleted and waits for kubernetes.io/pvc-protection';

  test.each([
    [
      'data, user',
      `data: deleted: ${marked}; it is being deleted and no pod uses it, so kubernetes.io/pvc-protection is removed; Pod user uses it, and is gone within 30 s`,
      'user: deleted: requested; it is marked as being deleted with a grace period of 30 s; its containers on a have stopped: the grace period of 30 s is over',
    ],
    [
      'data',
      `data: terminating: ${marked}; used by Pod user; ${removalOf('kubernetes.io/pvc-protection')}`,
    ],
  ])('and their protection ends when nothing uses them any more', (targets, ...fates) => {
    const { objects } = planOf('data; user; node', targets);
    expect(objects.map(({ name, fate, because }) => `${name}: ${fate}: ${because}`)).toEqual(fates);
  });

  casesOfPlans(
    fatesOfPlan,
    'data | PersistentVolumeClaim data | {finalizers: [kubernetes.io/pvc-protection]}',
    `
    whose users were read lose their protection            | data |                  | data: deleted
    whose users were not read are not said to lose theirs  | data | {unread: [pods]} | data: terminating
    `,
  );
});

describe('finalizers', () => {
  const ends = (finalizer: string, of: string, before: string, then: string) =>
    `removes finalizer ${finalizer} from 1 ${of}, is deleted as well: what it leaves never finishes terminating. Delete ${of} ${before} first and wait until it is gone, then ${then}.`;
  const byName = (program: string, finalizer: string, widget: string) =>
    `warning finalizer-deadlock: Deployment ${program}, which by its name ${ends(finalizer, 'Widget', widget, `Deployment ${program}`)}`;
  const doubtful = (finalizer: string, of: string, name: string, program: string) =>
    `warning finalizer-deadlock: Which program removes finalizer ${finalizer} from 1 ${of} is not known. If it is Deployment ${program}, that is deleted as well, and what it leaves never finishes terminating. Delete ${of} ${name} first and wait until it is gone, then Namespace shop.`;
  const [acme, disks] = [
    'finalizer.acme.cert-manager.io',
    'external-provisioner.volume.kubernetes.io/finalizer',
  ];
  const known = 'warning finalizer-deadlock: Deployment cert-manager, which';
  casesOfPlans(
    (plan) => remarksOf(plan).filter((line) => line.includes('finalizer-deadlock')),
    `
    shop      | Namespace shop
    program   | Deployment cert-manager
    elsewhere | Deployment bank/cert-manager
    held      | Widget order | {finalizers: [${acme}]}
    disk      | PersistentVolume disk | {finalizers: [${disks}]}
    csi       | Deployment csi-provisioner
    csi-bank  | Deployment bank/csi-provisioner
    game      | Widget game | {finalizers: [pinball.arcade.dev/cleanup]}
    pinball   | Deployment pinball-operator
    pinball-bank | Deployment bank/pinball-operator
    web       | Deployment web
    arcade    | Deployment arcade-ops-operator
    gear      | Widget gear | {finalizers: [example.com/cleanup]}
    widgets   | Deployment widget-operator-controller-manager
    main      | Widget main | {finalizers: [db.arcade.dev/cleanup]}
    base      | Deployment db-operator
    short     | Deployment db
    `,
    `
    that no program will remove are announced, with the order that avoids it | shop; program; held |
        | ${known} ${ends(acme, 'Widget', 'order', 'Namespace shop')}
    that go with their program as well | program; held | program, held
        | ${known} ${ends(acme, 'Widget', 'order', 'Deployment cert-manager')}
    not where their program stays        | program; held | held
    not where another program of it does | shop; program; elsewhere; held
    where another program of many stays, as it may not be theirs | shop; csi; csi-bank; disk | shop, disk
        | ${doubtful(disks, 'PersistentVolume', 'disk', 'csi-provisioner')}
    not where both stay                  | csi; csi-bank; disk | disk
    of unknown programs are guessed by their domain | pinball; game | pinball, game
        | ${byName('pinball-operator', 'pinball.arcade.dev/cleanup', 'game')}
    not by any name                      | web; game | web, game
    of unknown programs are guessed by the kind that they are on | widgets; gear | widgets, gear
        | ${byName('widget-operator-controller-manager', 'example.com/cleanup', 'gear')}
    and by short domains                 | base; main | base, main
        | ${byName('db-operator', 'db.arcade.dev/cleanup', 'main')}
    not by a short name                  | short; main | short, main
    of unknown programs may be those of any operator that goes as well | shop; arcade; game |
        | ${doubtful('pinball.arcade.dev/cleanup', 'Widget', 'game', 'arcade-ops-operator')}
    not where one of that name stays     | shop; arcade; pinball-bank; game
    `,
  );
});

describe('foreground', () => {
  const tight =
    '{ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: web, uid: uid-deployment-shop-web, blockOwnerDeletion: true}]}';
  const loose =
    'note not-waited-for: Foreground does not wait for 1 dependent without blockOwnerDeletion: ConfigMap loose. Deployment web may be gone before it is.';
  casesOfPlans(
    remarksOf,
    `
    web   | Deployment web
    loose | ConfigMap loose | {by: web}
    tight | ConfigMap tight
        | ${tight}
    node  | Node a
    `,
    `
    says for whom it does not wait | web; loose; tight; node | {policy: Foreground}
        | ${loose}
    background waits for none      | web; loose; tight; node
    `,
  );
});

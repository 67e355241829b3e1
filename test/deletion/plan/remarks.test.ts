import { describe, expect, test } from 'vitest';
import { fatesOfPlan } from './planned.ts';
import { casesOfPlans, outcomesOf, plansFrom, remarksAbout, remarksOf } from './told.ts';

describe('what is orphaned', () => {
  const selector = '{matchLabels: {app: web}}';
  test('is adopted by a controller with the same selector, if there is one', () => {
    expect(
      outcomesOf(
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
    waits for a new controller where there is none | mine; a; b | {policy: Orphan}
    waits for one where none fits | mine; a; b; unfit | {policy: Orphan}
    goes to one of several where more than one fits | mine; a; b; one; two | {policy: Orphan}
    `,
      ),
    ).toMatchInlineSnapshot(`
      "waits for a new controller where there is none
        note adopted: Nothing that was seen adopts Pod a, Pod b; a new controller with the same selector would adopt them.
      waits for one where none fits
        note adopted: Nothing that was seen adopts Pod a, Pod b; a new controller with the same selector would adopt them.
      goes to one of several where more than one fits
        note adopted: ReplicaSet one, ReplicaSet two have matching selectors: one of them adopts Pod a, Pod b."
    `);
  });
});

describe('volumes', () => {
  const planOf = plansFrom(`
    data | PersistentVolumeClaim data | {facts: {volumeName: pv-1}, finalizers: [kubernetes.io/pvc-protection]}
    user | Pod user | {facts: {nodeName: a, volumes: [{name: disk, claimName: data}]}}
    node | Node a
    `);
  test.each([
    ['data, user', 'data: deleted', 'user: deleted'],
    ['data', 'data: terminating'],
  ])('and their protection ends with their last use: %s', (targets, ...fates) => {
    const plan = planOf('data; user; node', targets);
    expect(fatesOfPlan(plan)).toEqual(fates);
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
  const [acme, disks] = [
    'finalizer.acme.cert-manager.io',
    'external-provisioner.volume.kubernetes.io/finalizer',
  ];
  test('that nothing will remove are named, with the order that avoids it', () => {
    expect(
      outcomesOf(
        remarksAbout('finalizer-deadlock'),
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
    that no program will remove are announced, with the order that avoids it | shop; program; held
    that go with their program as well | program; held | program, held
    not where their program stays | program; held | held
    not where another program of it does | shop; program; elsewhere; held
    where another program of many stays, as it may not be theirs | shop; csi; csi-bank; disk | shop, disk
    not where both stay | csi; csi-bank; disk | disk
    of unknown programs are guessed by their domain | pinball; game | pinball, game
    not by any name | web; game | web, game
    of unknown programs are guessed by the kind that they are on | widgets; gear | widgets, gear
    and by short domains | base; main | base, main
    not by a short name | short; main | short, main
    of unknown programs may be those of any operator that goes as well | shop; arcade; game
    not where one of that name stays | shop; arcade; pinball-bank; game
    `,
      ),
    ).toMatchInlineSnapshot(`
      "that no program will remove are announced, with the order that avoids it
        warning finalizer-deadlock: Deployment cert-manager, which removes finalizer finalizer.acme.cert-manager.io from 1 Widget, is deleted as well: what it leaves never finishes terminating. Delete Widget order first, wait until it does not exist, then delete Namespace shop.
      that go with their program as well
        warning finalizer-deadlock: Deployment cert-manager, which removes finalizer finalizer.acme.cert-manager.io from 1 Widget, is deleted as well: what it leaves never finishes terminating. Delete Widget order first, wait until it does not exist, then delete Deployment cert-manager.
      not where their program stays
      not where another program of it does
      where another program of many stays, as it may not be theirs
        warning finalizer-deadlock: Which program removes finalizer external-provisioner.volume.kubernetes.io/finalizer from 1 PersistentVolume is not known. If it is Deployment csi-provisioner, that is deleted as well, and what it leaves never finishes terminating. Delete PersistentVolume disk first, wait until it does not exist, then delete Namespace shop.
      not where both stay
      of unknown programs are guessed by their domain
        warning finalizer-deadlock: Deployment pinball-operator, which by its name removes finalizer pinball.arcade.dev/cleanup from 1 Widget, is deleted as well: what it leaves never finishes terminating. Delete Widget game first, wait until it does not exist, then delete Deployment pinball-operator.
      not by any name
      of unknown programs are guessed by the kind that they are on
        warning finalizer-deadlock: Deployment widget-operator-controller-manager, which by its name removes finalizer example.com/cleanup from 1 Widget, is deleted as well: what it leaves never finishes terminating. Delete Widget gear first, wait until it does not exist, then delete Deployment widget-operator-controller-manager.
      and by short domains
        warning finalizer-deadlock: Deployment db-operator, which by its name removes finalizer db.arcade.dev/cleanup from 1 Widget, is deleted as well: what it leaves never finishes terminating. Delete Widget main first, wait until it does not exist, then delete Deployment db-operator.
      not by a short name
      of unknown programs may be those of any operator that goes as well
        warning finalizer-deadlock: Which program removes finalizer pinball.arcade.dev/cleanup from 1 Widget is not known. If it is Deployment arcade-ops-operator, that is deleted as well, and what it leaves never finishes terminating. Delete Widget game first, wait until it does not exist, then delete Namespace shop.
      not where one of that name stays"
    `);
  });
});

describe('foreground', () => {
  const tight =
    '{ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: web, uid: uid-deployment-shop-web, blockOwnerDeletion: true}]}';
  test('says for which dependents a deletion does not wait', () => {
    expect(
      outcomesOf(
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
    background waits for none | web; loose; tight; node
    `,
      ),
    ).toMatchInlineSnapshot(`
      "says for whom it does not wait
        note not-waited-for: Foreground does not wait for 1 dependent without blockOwnerDeletion: ConfigMap loose. Deployment web may be deleted before it is.
      background waits for none"
    `);
  });
});

describe('Pods of a deleted Node', () => {
  const on = (phase: string) => `facts: {nodeName: a, phase: ${phase}}`;
  test('are named first where nothing recreates them', () => {
    const outcomes = outcomesOf(
      (plan) => remarksAbout('data')(plan),
      `
      node   | Node a
      bare   | Pod debug   | {${on('Running')}}
      job    | Job migrate | {facts: {completions: 1, succeeded: 1, conditions: [{type: Complete, status: "True"}]}}
      of-job | Pod migrate-x | {under: job, ${on('Succeeded')}}
      web    | ReplicaSet web | {facts: {replicas: 1}}
      of-web | Pod web-x   | {under: web, ${on('Running')}}
      log    | DaemonSet log
      of-log | Pod log-x   | {under: log, ${on('Running')}}
      `,
      `
      of a finished Job, or without a controller | node; bare; job; of-job; web; of-web; log; of-log |
      and not where a controller does            | node; web; of-web; log; of-log |
      nor where they are deleted themselves      | node; bare | node, bare
      `,
    );
    expect(outcomes).toMatchInlineSnapshot(`
      "of a finished Job, or without a controller
        warning data: 2 Pods (debug, migrate-x) are lost: no controller recreates them.
      and not where a controller does
      nor where they are deleted themselves"
    `);
  });
});

describe('bindings of a deleted ServiceAccount', () => {
  const to = (...names: string[]) =>
    `{facts: {subjects: [${names.map((name) => `{kind: ServiceAccount, name: ${name}, namespace: shop}`).join(', ')}]}}`;
  test('are named as what remains, but those of what is recreated or deleted with it', () => {
    const outcomes = outcomesOf(
      remarksAbout('left-dangling'),
      `
      home    | Namespace shop
      robot   | ServiceAccount robot
      default | ServiceAccount default
      of-it   | RoleBinding of-robot | ${to('robot', 'other')}
      of-all  | ClusterRoleBinding of-robot | ${to('robot')}
      other   | RoleBinding other | ${to('other')}
      of-def  | RoleBinding of-default | ${to('default')}
      `,
      `
      in its namespace and in none    | robot; of-it; of-all; other |
      those outside of its namespace  | home; robot; of-it; of-all |
      none of one that is recreated   | default; of-def; home | default
      `,
    );
    expect(outcomes).toMatchInlineSnapshot(`
      "in its namespace and in none
        note left-dangling: ClusterRoleBinding of-robot, RoleBinding of-robot stay and still name ServiceAccount robot: a new ServiceAccount of that name will have their permissions.
      those outside of its namespace
        note left-dangling: ClusterRoleBinding of-robot stays and still names ServiceAccount robot: a new ServiceAccount of that name will have its permissions.
      none of one that is recreated"
    `);
  });
});

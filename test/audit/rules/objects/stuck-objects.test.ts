import { describe, expect, test } from 'vitest';
import {
  finalizerWithoutController,
  stuckObject,
} from '../../../../src/audit/rules/stuck-objects.ts';
import { configMap } from '../../../support/builders.ts';
import { foundByRule } from '../../../support/rule-cases.ts';
import { violationsOf } from '../../../support/violations.ts';

describe('finalizer-without-controller', () => {
  test('finds these cases and no others', () => {
    expect(
      foundByRule(
        finalizerWithoutController,
        `
    queue | ConfigMap queue          | {finalizers: [example.com/other, finalizer.keda.sh]}
    web   | Deployment web           | {facts: {replicas: 1}}
    keda  | Deployment keda-operator
    pod   | Pod x
    `,
        `
    no workload looks like its controller | queue; web
    a workload of which only metadata was read may be it | queue; web {facts: null}
    so may a pod | queue; pod
    no pod of it is ready | queue; keda {facts: {observedGeneration: 1, availableReplicas: 0}}
    it is scaled to nothing | queue; keda {facts: {replicas: 0}}
    not where a pod has its image | queue; pod {facts: {phase: Running, containers: [{name: x, image: "ghcr.io/kedacore/keda:2"}]}}
    not where a manifest of it does not say whether it runs | queue; keda {facts: {}} | origin: {kind: files, paths: []}
    not where no list knows it | queue {finalizers: [example.com/other]}
    not where kube-controller-manager removes it | queue {finalizers: [kubernetes.io/pvc-protection]}
    not where it says how to delete | queue {finalizers: [foregroundDeletion, orphan]}
    not of what is being deleted | queue {deleting: true}
    unknown where workloads were not read | queue | unread: [statefulsets.apps]
    `,
      ),
    ).toMatchInlineSnapshot(`
      "no workload looks like its controller
        ConfigMap queue: finalizer.keda.sh is removed by the KEDA operator, and no Deployment, StatefulSet, DaemonSet or Pod looks like it; it protects the autoscaler and the scale of the workload that a ScaledObject changed
        likely, $ kubectl patch configmap/queue -n shop --type=json -p '[{"op":"test","path":"/metadata/finalizers/1","value":"finalizer.keda.sh"},{"op":"remove","path":"/metadata/finalizers/1"}]'
      a workload of which only metadata was read may be it
        1 not checked: of workloads or pods only metadata was read
      so may a pod
        1 not checked: of workloads or pods only metadata was read
      no pod of it is ready
        ConfigMap queue: finalizer.keda.sh is removed by the KEDA operator, which does not run: Deployment shop/keda-operator has no ready pod; it protects the autoscaler and the scale of the workload that a ScaledObject changed
        $ kubectl patch configmap/queue -n shop --type=json -p '[{"op":"test","path":"/metadata/finalizers/1","value":"finalizer.keda.sh"},{"op":"remove","path":"/metadata/finalizers/1"}]'
      it is scaled to nothing
        ConfigMap queue: finalizer.keda.sh is removed by the KEDA operator, which does not run: Deployment shop/keda-operator is scaled to 0; it protects the autoscaler and the scale of the workload that a ScaledObject changed
        $ kubectl patch configmap/queue -n shop --type=json -p '[{"op":"test","path":"/metadata/finalizers/1","value":"finalizer.keda.sh"},{"op":"remove","path":"/metadata/finalizers/1"}]'
      not where a pod has its image
      not where a manifest of it does not say whether it runs
      not where no list knows it
      not where kube-controller-manager removes it
      not where it says how to delete
      not of what is being deleted
      unknown where workloads were not read
        1 not checked: statefulsets.apps were not read in every namespace"
    `);
  });
});

describe('stuck-object', () => {
  const frozen =
    '[{apiVersion: v1, kind: ConfigMap, name: web, uid: uid-configmap-shop-web, blockOwnerDeletion: true}, {apiVersion: gone/v1, kind: Gone, name: x, uid: x}]';
  const held =
    '[{apiVersion: v1, kind: ConfigMap, name: web, uid: uid-configmap-shop-web, blockOwnerDeletion: true}]';
  const young = 'deletionTimestamp: "2026-01-02T01:00:00Z"';
  test('finds these cases and no others', () => {
    expect(
      foundByRule(
        stuckObject,
        `
    queue | ConfigMap queue          | {deleting: true, finalizers: [finalizer.keda.sh]}
    odd   | ConfigMap x              | {deleting: true, finalizers: [example.com/odd]}
    keda  | Deployment keda-operator | {facts: {observedGeneration: 1, availableReplicas: 1}}
    agent | DaemonSet keda-operator  | {facts: {observedGeneration: 1, numberReady: 2}}
    pod   | Pod web                  | {deleting: true, deletionGracePeriodSeconds: 30, facts: {nodeName: a}}
    node  | Node a | {facts: {conditions: [{type: Ready, status: Unknown, reason: NodeStatusUnknown}]}}
    web   | ConfigMap web            | {deleting: true, finalizers: [foregroundDeletion]}
    tls   | Secret tls
    shop  | Namespace shop           | {deleting: true, facts: {specFinalizers: [kubernetes]}}
    `,
        `
    a finalizer whose controller is not there | queue
    one without a ready pod | queue; keda {facts: {observedGeneration: 1, availableReplicas: 0}}
    a controller that runs takes a day before it is slow | queue; keda
    and is as slow by a saved snapshot, of which no dry run can be asked | queue; keda | evidence: {answers: []}
    not before that | queue {${young}}; keda
    not where its DaemonSet says that it runs | queue {${young}}; agent
    an unknown finalizer, after a minute | odd
    not before that | odd {deletionTimestamp: "2026-01-02T23:59:10Z"}
    a pod whose node does not answer names the node | pod; node
    not where it is not being deleted | queue {deletionTimestamp: null}
    not where that has only just begun | queue {deletionTimestamp: "2026-01-02T23:59:30Z"}
    not where its grace period runs | queue {deletionTimestamp: "2026-01-03T00:10:00Z"}
    it is unknown whether the controller runs | queue | unread: [deployments.apps, daemonsets.apps]
    a garbage collector that is off | web | settings: {controllers: ["*", -garbagecollector]}
    a dependent that is frozen | web; tls {ownerReferences: ${frozen}}
    a dependent that hangs on its own finalizer | tls {deleting: true, finalizers: [finalizer.keda.sh], ownerReferences: ${held}}; web
    no dependent blocks it any more | web
    not where it waits only for itself | web {ownerReferences: ${held}}
    what was not read may block it | web | unread: [pods]
    something in a namespace that does not end | shop; queue
    a foreign entry in its spec.finalizers | shop {facts: {specFinalizers: [example.com/tenant]}}
    `,
      ),
    ).toMatchInlineSnapshot(`
      "a finalizer whose controller is not there
        ConfigMap queue: being deleted for 24h: finalizer.keda.sh is set by KEDA operator; it protects the autoscaler and the scale of the workload that a ScaledObject changed; no Deployment, StatefulSet, DaemonSet or Pod looks like KEDA operator
        $ kubectl gc why configmap/queue -n shop --fix
      one without a ready pod
        ConfigMap queue: being deleted for 24h: finalizer.keda.sh is set by KEDA operator; it protects the autoscaler and the scale of the workload that a ScaledObject changed; KEDA operator does not run: Deployment shop/keda-operator has no ready pod
        $ kubectl gc why configmap/queue -n shop
      a controller that runs takes a day before it is slow
        ConfigMap queue: being deleted for 24h: finalizer.keda.sh: KEDA operator runs (Deployment shop/keda-operator has 1 of 1 pods ready) and removes it when scaling is stopped and, if asked for, the old scale restored
        so: late: what is at work on its deletion has not ended it within a day
        warning, likely, $ kubectl gc why configmap/queue -n shop
      and is as slow by a saved snapshot, of which no dry run can be asked
        ConfigMap queue: being deleted for 24h: finalizer.keda.sh: KEDA operator runs (Deployment shop/keda-operator has 1 of 1 pods ready) and removes it when scaling is stopped and, if asked for, the old scale restored
        so: late: what is at work on its deletion has not ended it within a day
        warning, likely, $ kubectl gc why configmap/queue -n shop
      not before that
      not where its DaemonSet says that it runs
      an unknown finalizer, after a minute
        ConfigMap x: being deleted for 24h: example.com/odd is an unknown finalizer; who added it was not read
        so: might never be deleted
        warning, likely, $ kubectl gc why configmap/x -n shop
      not before that
      a pod whose node does not answer names the node
        Pod web: being deleted for 24h: node a is not ready (NodeStatusUnknown), so its kubelet does not confirm that the containers stopped
        with Node a
        $ kubectl gc why pod/web -n shop
      not where it is not being deleted
      not where that has only just begun
      not where its grace period runs
      it is unknown whether the controller runs
        ConfigMap queue: being deleted for 24h: finalizer.keda.sh is set by KEDA operator; it protects the autoscaler and the scale of the workload that a ScaledObject changed; whether KEDA operator runs is not known: deployments.apps, daemonsets.apps were not read in every namespace
        so: might never be deleted
        warning, likely, $ kubectl gc why configmap/queue -n shop
        1 not checked: could not be read: deployments.apps, daemonsets.apps
      a garbage collector that is off
        ConfigMap web: being deleted for 24h: the garbage collector does not run here, as --controllers or --enable-garbage-collector leaves garbage-collector-controller off
        $ kubectl gc why configmap/web -n shop
      a dependent that is frozen
        ConfigMap web: being deleted for 24h: Secret tls: no API serves gone/v1 Gone; while that reference stays, it is never deleted or changed
        with Secret tls
        $ kubectl gc why configmap/web -n shop --fix
      a dependent that hangs on its own finalizer
        ConfigMap web: being deleted for 24h: Secret tls: finalizer.keda.sh is set by KEDA operator; it protects the autoscaler and the scale of the workload that a ScaledObject changed; no Deployment, StatefulSet, DaemonSet or Pod looks like KEDA operator
        with Secret tls
        $ kubectl gc why configmap/web -n shop --fix
        Secret tls: being deleted for 24h: finalizer.keda.sh is set by KEDA operator; it protects the autoscaler and the scale of the workload that a ScaledObject changed; no Deployment, StatefulSet, DaemonSet or Pod looks like KEDA operator
        $ kubectl gc why secret/tls -n shop --fix
      no dependent blocks it any more
        ConfigMap web: being deleted for 24h: no dependent blocks ConfigMap web any more, but the garbage collector has not removed foregroundDeletion
        $ kubectl gc why configmap/web -n shop --fix
      not where it waits only for itself
      what was not read may block it
        ConfigMap web: being deleted for 24h: pods could not be read: the input contains none, and may be incomplete
        so: might never be deleted
        warning, likely, $ kubectl gc why configmap/web -n shop
        1 not checked: pods could not be read: the input contains none, and may be incomplete
      something in a namespace that does not end
        Namespace shop: being deleted for 24h: ConfigMap queue: finalizer.keda.sh is set by KEDA operator; it protects the autoscaler and the scale of the workload that a ScaledObject changed; no Deployment, StatefulSet, DaemonSet or Pod looks like KEDA operator
        with ConfigMap queue
        $ kubectl gc why namespace/shop --fix
        ConfigMap queue: being deleted for 24h: finalizer.keda.sh is set by KEDA operator; it protects the autoscaler and the scale of the workload that a ScaledObject changed; no Deployment, StatefulSet, DaemonSet or Pod looks like KEDA operator
        $ kubectl gc why configmap/queue -n shop --fix
      a foreign entry in its spec.finalizers
        Namespace shop: being deleted for 24h: its spec.finalizers hold example.com/tenant, which a program has to remove
        so: might never be deleted
        warning, likely, $ kubectl gc why namespace/shop"
    `);
  });

  test('of very many, 500 are checked', () => {
    const finalizers = ['finalizer.keda.sh'];
    const many = Array.from({ length: 502 }, (_, n) =>
      configMap(`x-${n}`, { finalizers, deleting: 'background' }),
    );
    const found = violationsOf(stuckObject, many);
    expect([found.length, found.at(-1)]).toEqual([
      501,
      { notChecked: 2, because: 'only 500 deletions were checked' },
    ]);
  });
});

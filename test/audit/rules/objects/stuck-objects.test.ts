import { describe, expect, test } from 'vitest';
import {
  finalizerWithoutController,
  stuckObject,
} from '../../../../src/audit/rules/stuck-objects.ts';
import { configMap } from '../../../support/builders.ts';
import { casesOfRule } from '../../../support/rule-cases.ts';
import { violationsOf } from '../../../support/violations.ts';

const protects =
  'it protects the autoscaler and the scale of the workload that a ScaledObject changed';
const unlike = 'no Deployment, StatefulSet, DaemonSet or Pod looks like';

describe('finalizer-without-controller', () => {
  const entry = '/metadata/finalizers/1';
  const fix = `$ kubectl patch configmap/queue -n shop --type=json -p '[{"op":"test","path":"${entry}","value":"finalizer.keda.sh"},{"op":"remove","path":"${entry}"}]'`;
  const removed = 'ConfigMap queue: finalizer.keda.sh is removed by the KEDA operator';
  const down = `${removed}, which does not run: Deployment shop/keda-operator`;
  const bare = '1 not checked: of workloads or pods only metadata was read';
  casesOfRule(
    finalizerWithoutController,
    `
    queue | ConfigMap queue          | {finalizers: [example.com/other, finalizer.keda.sh]}
    web   | Deployment web           | {facts: {replicas: 1}}
    keda  | Deployment keda-operator
    pod   | Pod x
    `,
    `
    no workload looks like its controller | queue; web | | ${removed}, and ${unlike} it; ${protects} | likely, ${fix}
    a workload of which only metadata was read may be it | queue; web {facts: null} | | ${bare}
    so may a pod                        | queue; pod                   | | ${bare}
    no pod of it is ready | queue; keda {facts: {observedGeneration: 1, availableReplicas: 0}} |
        | ${down} has no ready pod; ${protects} | ${fix}
    it is scaled to nothing | queue; keda {facts: {replicas: 0}} | | ${down} is scaled to 0; ${protects} | ${fix}
    not where a pod has its image
        | queue; pod {facts: {phase: Running, containers: [{name: x, image: "ghcr.io/kedacore/keda:2"}]}}
    not where a manifest of it does not say whether it runs | queue; keda {facts: {}} | origin: {kind: files, paths: []}
    not where no list knows it          | queue {finalizers: [example.com/other]}
    not where kube-controller-manager removes it | queue {finalizers: [kubernetes.io/pvc-protection]}
    not where it says how to delete     | queue {finalizers: [foregroundDeletion, orphan]}
    not of what is being deleted        | queue {deleting: true}
    unknown where workloads were not read | queue | unread: [statefulsets.apps]
        | 1 not checked: statefulsets.apps were not read in every namespace
    `,
  );
});

describe('stuck-object', () => {
  const queue = 'ConfigMap queue: being deleted for 24h:';
  const set = `finalizer.keda.sh is set by KEDA operator; ${protects}`;
  const missing = `${set}; ${unlike} KEDA operator`;
  const why = (of: string) => `$ kubectl gc why ${of}`;
  const ofQueue = why('configmap/queue -n shop');
  const runs = `finalizer.keda.sh: KEDA operator runs (Deployment shop/keda-operator has 1 of 1 pods ready) and removes it when scaling is stopped and, if asked for, the old scale restored`;
  const late = `${queue} ${runs} | so: late: what is at work on its deletion has not ended it within a day | warning, likely, ${ofQueue}`;
  const files = 'files do not show which programs may remove it';
  const foreign =
    'Namespace shop: being deleted for 24h: its spec.finalizers hold example.com/tenant, ' +
    `which a program has to remove; ${files}`;
  const unknown = `and it is unknown who set it; ${files}`;
  const silent = 'so its kubelet does not confirm that the containers stopped';
  const doubt = 'so: perhaps never gone: whether anything ends its deletion is unknown';
  const web = 'ConfigMap web: being deleted for 24h:';
  const ofWeb = why('configmap/web -n shop');
  const frozen =
    '[{apiVersion: v1, kind: ConfigMap, name: web, uid: uid-configmap-shop-web, blockOwnerDeletion: true}, {apiVersion: gone/v1, kind: Gone, name: x, uid: x}]';
  const held =
    '[{apiVersion: v1, kind: ConfigMap, name: web, uid: uid-configmap-shop-web, blockOwnerDeletion: true}]';
  const young = 'deletionTimestamp: "2026-01-02T01:00:00Z"';
  const unread = 'deployments.apps, daemonsets.apps';
  const podsUnread =
    'pods could not be read: the input holds none, and does not say that there are none';
  casesOfRule(
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
    a finalizer whose controller is not there   | queue | | ${queue} ${missing} | ${ofQueue} --fix
    one without a ready pod | queue; keda {facts: {observedGeneration: 1, availableReplicas: 0}} |
        | ${queue} ${set}; KEDA operator does not run: Deployment shop/keda-operator has no ready pod | ${ofQueue} --fix
    a controller that runs takes a day before it is slow | queue; keda |
        | ${late}
    and is as slow by a saved snapshot, of which no dry run can be asked | queue; keda | evidence: {answers: []}
        | ${late}
    not before that                             | queue {${young}}; keda
    not where its DaemonSet says that it runs   | queue {${young}}; agent
    an unknown finalizer, after a minute        | odd |
        | ConfigMap x: being deleted for 24h: example.com/odd is in no list of known finalizers, ${unknown}
        | ${doubt} | warning, likely, ${why('configmap/x -n shop')}
    not before that                             | odd {deletionTimestamp: "2026-01-02T23:59:10Z"}
    a pod whose node does not answer names the node | pod; node |
        | Pod web: being deleted for 24h: node a is not ready (NodeStatusUnknown), ${silent}
        | with Node a | ${why('pod/web -n shop')}
    not where it is not being deleted           | queue {deletionTimestamp: null}
    not where that has only just begun          | queue {deletionTimestamp: "2026-01-02T23:59:30Z"}
    not where its grace period runs             | queue {deletionTimestamp: "2026-01-03T00:10:00Z"}
    it is unknown whether the controller runs   | queue | unread: [deployments.apps, daemonsets.apps]
        | ${queue} ${set}; whether KEDA operator runs is not known: ${unread} were not read in every namespace
        | ${doubt} | warning, likely, ${ofQueue} | 1 not checked: could not be read: ${unread}
    a garbage collector that is off | web | settings: {controllers: ["*", -garbagecollector]}
        | ${web} the garbage collector does not run here, as --controllers leaves garbage-collector-controller off
        | ${ofWeb}
    a dependent that is frozen                  | web; tls {ownerReferences: ${frozen}} |
        | ${web} Secret tls: no API serves gone/v1 Gone; while that reference stays, it is never deleted or changed
        | with Secret tls | ${ofWeb} --fix
    a dependent that hangs on its own finalizer
        | tls {deleting: true, finalizers: [finalizer.keda.sh], ownerReferences: ${held}}; web |
        | ${web} Secret tls: ${missing} | with Secret tls | ${ofWeb} --fix
        | Secret tls: being deleted for 24h: ${missing} | ${why('secret/tls -n shop')} --fix
    no dependent blocks it any more             | web |
        | ${web} no dependent blocks ConfigMap web any more, but the garbage collector has not removed foregroundDeletion
        | ${ofWeb} --fix
    not where it waits only for itself          | web {ownerReferences: ${held}}
    what was not read may block it              | web | unread: [pods]
        | ${web} ${podsUnread} | ${doubt} | warning, likely, ${ofWeb} | 1 not checked: ${podsUnread}
    something in a namespace that does not end  | shop; queue |
        | Namespace shop: being deleted for 24h: ConfigMap queue: ${missing} | with ConfigMap queue
        | ${why('namespace/shop')} --fix | ${queue} ${missing} | ${ofQueue} --fix
    a foreign entry in its spec.finalizers      | shop {facts: {specFinalizers: [example.com/tenant]}} |
        | ${foreign} | ${doubt} | warning, likely, ${why('namespace/shop')}
    `,
  );

  test('of very many, 500 are looked at', () => {
    const finalizers = ['finalizer.keda.sh'];
    const many = Array.from({ length: 502 }, (_, n) =>
      configMap(`x-${n}`, { finalizers, deleting: 'background' }),
    );
    const found = violationsOf(stuckObject, many);
    expect([found.length, found.at(-1)]).toEqual([
      501,
      { notChecked: 2, because: 'only 500 deletions are looked at' },
    ]);
  });
});

import { describe, expect, test } from 'vitest';
import { orphanedReplicaSet, sharedSelector } from '../../../../src/audit/rules/workloads.ts';
import { foundByRule } from '../../../support/rule-cases.ts';

const selects = (app: string, more = '') =>
  `facts: {selector: {matchLabels: {app: ${app}${more}}}}`;

describe('orphaned-replicaset', () => {
  test('finds these cases and no others', () => {
    expect(
      foundByRule(
        orphanedReplicaSet,
        `
    web | Deployment web     | {${selects('web')}}
    set | ReplicaSet web-6c4 | {labels: {app: web, pod-template-hash: 6c4}, facts: {replicas: 2, statusReplicas: 1}}
    `,
        `
    one that keeps pods | set; web {${selects('cart')}}
    one that has no pods | set {facts: {replicas: 0}}
    one that a Deployment of which only metadata was read may adopt | set; web {facts: null}
    not one that has its Deployment | set {under: web}
    not one that was made by hand | set {labels: {app: web}}
    not one that is being deleted | set {deleting: true}
    not one that was never applied | set {uid: ""}
    not one that a Deployment is about to adopt | set; web
    unknown where Deployments were not read | set | unread: [deployments.apps]
    `,
      ),
    ).toMatchInlineSnapshot(`
      "one that keeps pods
        ReplicaSet web-6c4: it has the label pod-template-hash of a Deployment, but no controller; replicas wanted: 2, there: 1
        $ kubectl delete replicaset.apps/web-6c4 -n shop
      one that has no pods
        ReplicaSet web-6c4: it has the label pod-template-hash of a Deployment, but no controller; it has no pods
        info, $ kubectl delete replicaset.apps/web-6c4 -n shop
      one that a Deployment of which only metadata was read may adopt
        1 not checked: only metadata of deployments.apps was read
      not one that has its Deployment
      not one that was made by hand
      not one that is being deleted
      not one that was never applied
      not one that a Deployment is about to adopt
      unknown where Deployments were not read
        1 not checked: deployments.apps in shop were not read"
    `);
  });
});

describe('shared-selector', () => {
  const inWords =
    'facts: {selector: {matchExpressions: [{key: app, operator: In, values: [web]}]}}';
  const at = (path: string) => `place: {path: ${path}, line: 1}`;
  const captured = `web {${at('dump/deployments/web.yaml')}}; agent {${at('dump/daemonsets/agent.yaml')}}`;
  const manifest = `other {uid: "", ${at('deploy/other.yaml')}}`;
  test('finds these cases and no others', () => {
    expect(
      foundByRule(
        sharedSelector,
        `
    web   | Deployment web   | {${selects('web')}}
    next  | Deployment next  | {${selects('web')}}
    other | Deployment other | {${selects('other')}}
    agent | DaemonSet agent  | {${selects('web')}}
    set   | ReplicaSet web-1 | {${selects('web')}}
    `,
        `
    each names the other | web; agent
    however they write it | web; next {${inWords}}
    not one in another namespace | web; next {namespace: bank}
    not one with more labels | web; next {${selects('web', ', track: next')}}
    not one that it controls | web; set {under: web}
    not one that is being deleted | web; next {deleting: true}
    not those that select nothing | web {facts: {selector: {}}}; next {facts: {selector: {}}}
    objects of a cluster in several folders are of one cluster | ${captured}
    unless manifests lie among them | ${captured}; ${manifest}
    but those of one folder are | ${captured}; next {${at('dump/deployments/next.yaml')}}; ${manifest}
    `,
      ),
    ).toMatchInlineSnapshot(`
      "each names the other
        DaemonSet agent: its selector app=web is also that of Deployment web
        with Deployment web
        $ kubectl get deployments,replicasets,statefulsets,daemonsets,replicationcontrollers,pods -n shop -l app=web --show-labels
        Deployment web: its selector app=web is also that of DaemonSet agent
        with DaemonSet agent
        $ kubectl get deployments,replicasets,statefulsets,daemonsets,replicationcontrollers,pods -n shop -l app=web --show-labels
      however they write it
        Deployment next: its selector with expressions is also that of Deployment web
        with Deployment web
        $ kubectl get deployments,replicasets,statefulsets,daemonsets,replicationcontrollers,pods -n shop --show-labels
        Deployment web: its selector app=web is also that of Deployment next
        with Deployment next
        $ kubectl get deployments,replicasets,statefulsets,daemonsets,replicationcontrollers,pods -n shop -l app=web --show-labels
      not one in another namespace
      not one with more labels
      not one that it controls
      not one that is being deleted
      not those that select nothing
      objects of a cluster in several folders are of one cluster
        DaemonSet agent: its selector app=web is also that of Deployment web
        with Deployment web
        $ kubectl get deployments,replicasets,statefulsets,daemonsets,replicationcontrollers,pods -n shop -l app=web --show-labels
        Deployment web: its selector app=web is also that of DaemonSet agent
        with DaemonSet agent
        $ kubectl get deployments,replicasets,statefulsets,daemonsets,replicationcontrollers,pods -n shop -l app=web --show-labels
      unless manifests lie among them
      but those of one folder are
        Deployment next: its selector app=web is also that of Deployment web
        with Deployment web
        $ kubectl get deployments,replicasets,statefulsets,daemonsets,replicationcontrollers,pods -n shop -l app=web --show-labels
        Deployment web: its selector app=web is also that of Deployment next
        with Deployment next
        $ kubectl get deployments,replicasets,statefulsets,daemonsets,replicationcontrollers,pods -n shop -l app=web --show-labels"
    `);
  });
});

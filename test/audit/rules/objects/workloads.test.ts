import { describe } from 'vitest';
import { orphanedReplicaSet, sharedSelector } from '../../../../src/audit/rules/workloads.ts';
import { casesOfRule } from '../../../support/rule-cases.ts';

const selects = (app: string, more = '') =>
  `facts: {selector: {matchLabels: {app: ${app}${more}}}}`;

describe('orphaned-replicaset', () => {
  const at =
    'ReplicaSet web-6c4: it has the label pod-template-hash of a Deployment, but no controller';
  const fix = '$ kubectl delete replicaset.apps/web-6c4 -n shop';
  casesOfRule(
    orphanedReplicaSet,
    `
    web | Deployment web     | {${selects('web')}}
    set | ReplicaSet web-6c4 | {labels: {app: web, pod-template-hash: 6c4}, facts: {replicas: 2, statusReplicas: 1}}
    `,
    `
    one that keeps pods               | set; web {${selects('cart')}} | | ${at}; replicas wanted: 2, there: 1 | ${fix}
    one that has no pods              | set {facts: {replicas: 0}}    | | ${at}; it has no pods | info, ${fix}
    one that a Deployment of which only metadata was read may adopt | set; web {facts: null} |
        | 1 not checked: only metadata of deployments.apps was read
    not one that has its Deployment   | set {under: web}
    not one that was made by hand     | set {labels: {app: web}}
    not one that is being deleted     | set {deleting: true}
    not one that was never applied    | set {uid: ""}
    not one that a Deployment is about to adopt | set; web
    unknown where Deployments were not read | set | unread: [deployments.apps]
        | 1 not checked: deployments.apps in shop were not read
    `,
  );
});

describe('shared-selector', () => {
  const list =
    '$ kubectl get deployments,replicasets,statefulsets,daemonsets,replicationcontrollers,pods -n shop';
  const is = 'its selector app=web is also that of';
  const fix = `${list} -l app=web --show-labels`;
  const inWords =
    'facts: {selector: {matchExpressions: [{key: app, operator: In, values: [web]}]}}';
  const both = `DaemonSet agent: ${is} Deployment web | with Deployment web | ${fix}
        | Deployment web: ${is} DaemonSet agent | with DaemonSet agent | ${fix}`;
  const pair = `Deployment next: ${is} Deployment web | with Deployment web | ${fix}
        | Deployment web: ${is} Deployment next | with Deployment next | ${fix}`;
  const at = (path: string) => `place: {path: ${path}, line: 1}`;
  const captured = `web {${at('dump/deployments/web.yaml')}}; agent {${at('dump/daemonsets/agent.yaml')}}`;
  const manifest = `other {uid: "", ${at('deploy/other.yaml')}}`;
  casesOfRule(
    sharedSelector,
    `
    web   | Deployment web   | {${selects('web')}}
    next  | Deployment next  | {${selects('web')}}
    other | Deployment other | {${selects('other')}}
    agent | DaemonSet agent  | {${selects('web')}}
    set   | ReplicaSet web-1 | {${selects('web')}}
    `,
    `
    each names the other              | web; agent | | ${both}
    however they write it             | web; next {${inWords}} |
        | Deployment next: its selector with expressions is also that of Deployment web | with Deployment web
        | ${list} --show-labels | Deployment web: ${is} Deployment next | with Deployment next | ${fix}
    not one in another namespace      | web; next {namespace: bank}
    not one with more labels          | web; next {${selects('web', ', track: next')}}
    not one that it controls          | web; set {under: web}
    not one that is being deleted     | web; next {deleting: true}
    not those that select nothing     | web {facts: {selector: {}}}; next {facts: {selector: {}}}
    objects of a cluster in several folders are of one cluster        | ${captured}              | | ${both}
    unless manifests lie among them                                   | ${captured}; ${manifest}
    but those of one folder are   | ${captured}; next {${at('dump/deployments/next.yaml')}}; ${manifest} | | ${pair}
    `,
  );
});

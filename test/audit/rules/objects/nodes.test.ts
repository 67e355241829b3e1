import { describe } from 'vitest';
import { orphanedNodeLease, outOfServiceNode } from '../../../../src/audit/rules/nodes.ts';
import { casesOfRule } from '../../../support/rule-cases.ts';

describe('orphaned-node-lease', () => {
  const head = 'Lease worker-7: Node worker-7 does not exist; the Lease has no owner, and was';
  const fix = '$ kubectl delete lease.coordination.k8s.io/worker-7 -n kube-node-lease';
  casesOfRule(
    orphanedNodeLease,
    `
    node  | Node worker-7
    lease | Lease worker-7 | {namespace: kube-node-lease, facts: {renewTime: "2026-01-02T00:00:00.000000Z"}}
    `,
    `
    a Lease of no Node                  | lease             |                 | ${head} last renewed 24h ago | ${fix}
    a Lease that was never renewed      | lease {facts: {}} |                 | ${head} never renewed | ${fix}
    not where its Node exists           | lease; node
    not where it has an owner           | lease {by: node}
    not one of something else           | lease {namespace: kube-system}
    not one that a kubelet renews       | lease {facts: {renewTime: "2026-01-02T23:59:30.000000Z"}}
    unknown where Nodes were not read   | lease             | unread: [nodes] | 1 not checked: nodes were not read
    `,
  );
});

describe('out-of-service-node', () => {
  const taint = 'node.kubernetes.io/out-of-service';
  const found = `Node worker-7: it is Ready and has the taint ${taint}`;
  const ready = (status: string) => `conditions: [{type: Ready, status: "${status}"}]`;
  const ends =
    'pods that do not tolerate the taint are deleted from the Node; when it is not ready for a moment, they are force-deleted while they still run';
  casesOfRule(
    outOfServiceNode,
    `
    node | Node worker-7 | {facts: {taints: [{key: ${taint}, effect: NoSchedule}], ${ready('True')}}}
    web  | Pod web       | {facts: {nodeName: worker-7}}
    `,
    `
    a Node is Ready and out of service | node; web | | ${found}:NoSchedule; pods on it that were read: 1
        | $ kubectl taint nodes worker-7 ${taint}-
    one that evicts pods | node {facts: {taints: [{key: ${taint}, effect: NoExecute}], ${ready('True')}}} |
        | ${found}:NoExecute; pods on it that were read: 0 | so: ${ends} | $ kubectl taint nodes worker-7 ${taint}-
    not one that is not Ready    | node {facts: {taints: [{key: ${taint}, effect: NoSchedule}], ${ready('Unknown')}}}
    not one with another taint   | node {facts: {taints: [{key: example.com/gpu, effect: NoSchedule}], ${ready('True')}}}
    not one that says nothing    | node {facts: {}}
    `,
  );
});

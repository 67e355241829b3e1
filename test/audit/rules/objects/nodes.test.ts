import { describe, expect, test } from 'vitest';
import { orphanedNodeLease, outOfServiceNode } from '../../../../src/audit/rules/nodes.ts';
import { foundByRule } from '../../../support/rule-cases.ts';

describe('orphaned-node-lease', () => {
  test('finds these cases and no others', () => {
    expect(
      foundByRule(
        orphanedNodeLease,
        `
    node  | Node worker-7
    lease | Lease worker-7 | {namespace: kube-node-lease, facts: {renewTime: "2026-01-02T00:00:00.000000Z"}}
    `,
        `
    a Lease of no Node | lease
    a Lease that was never renewed | lease {facts: {}}
    not where its Node exists | lease; node
    not where it has an owner | lease {by: node}
    not one of something else | lease {namespace: kube-system}
    not one that a kubelet renews | lease {facts: {renewTime: "2026-01-02T23:59:30.000000Z"}}
    unknown where Nodes were not read | lease | unread: [nodes]
    `,
      ),
    ).toMatchInlineSnapshot(`
      "a Lease of no Node
        Lease worker-7: Node worker-7 does not exist; the Lease has no owner, and was last renewed 24h ago
        $ kubectl delete lease.coordination.k8s.io/worker-7 -n kube-node-lease
      a Lease that was never renewed
        Lease worker-7: Node worker-7 does not exist; the Lease has no owner, and was never renewed
        $ kubectl delete lease.coordination.k8s.io/worker-7 -n kube-node-lease
      not where its Node exists
      not where it has an owner
      not one of something else
      not one that a kubelet renews
      unknown where Nodes were not read
        1 not checked: nodes were not read"
    `);
  });
});

describe('out-of-service-node', () => {
  const taint = 'node.kubernetes.io/out-of-service';
  const ready = (status: string) => `conditions: [{type: Ready, status: "${status}"}]`;
  test('finds these cases and no others', () => {
    expect(
      foundByRule(
        outOfServiceNode,
        `
    node | Node worker-7 | {facts: {taints: [{key: ${taint}, effect: NoSchedule}], ${ready('True')}}}
    web  | Pod web       | {facts: {nodeName: worker-7}}
    `,
        `
    a Node is Ready and out of service | node; web
    one that evicts pods | node {facts: {taints: [{key: ${taint}, effect: NoExecute}], ${ready('True')}}}
    not one that is not Ready | node {facts: {taints: [{key: ${taint}, effect: NoSchedule}], ${ready('Unknown')}}}
    not one with another taint | node {facts: {taints: [{key: example.com/gpu, effect: NoSchedule}], ${ready('True')}}}
    not one that says nothing | node {facts: {}}
    `,
      ),
    ).toMatchInlineSnapshot(`
      "a Node is Ready and out of service
        Node worker-7: it is Ready and has the taint node.kubernetes.io/out-of-service:NoSchedule; pods on it that were read: 1
        $ kubectl taint nodes worker-7 node.kubernetes.io/out-of-service-
      one that evicts pods
        Node worker-7: it is Ready and has the taint node.kubernetes.io/out-of-service:NoExecute; pods on it that were read: 0
        so: pods that do not tolerate the taint are deleted from the Node; when it is not ready for a moment, they are force-deleted while they still run
        $ kubectl taint nodes worker-7 node.kubernetes.io/out-of-service-
      not one that is not Ready
      not one with another taint
      not one that says nothing"
    `);
  });
});

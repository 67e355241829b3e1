import { describe, expect, test } from 'vitest';
import { endedPodsThreshold, podOnMissingNode } from '../../../../src/audit/rules/pods.ts';
import { pod } from '../../../support/builders.ts';
import { foundByRule } from '../../../support/rule-cases.ts';
import { violationsOf } from '../../../support/violations.ts';

describe('ended-pods-threshold', () => {
  const ended = [...'0123456789'].map((digit) => {
    const [home, phase] = [
      digit < '7' ? 'shop' : 'bank',
      Number(digit) % 2 ? 'Failed' : 'Succeeded',
    ];
    return `p${digit} | Pod done-${digit} | {namespace: ${home}, creationTimestamp: "2026-01-01T00:00:0${digit}Z", facts: {phase: ${phase}}}`;
  });
  const all = `${[...'0123456789'].map((digit) => `p${digit}`).join('; ')}; web; shop; bank`;
  const at = (threshold: number, more = '') =>
    `settings: {terminatedPodGCThreshold: ${threshold}${more}}`;
  test('finds these cases and no others', () => {
    expect(
      foundByRule(
        endedPodsThreshold,
        `
    ${ended.join('\n')}
    web  | Pod web | {facts: {phase: Running}}
    shop | Namespace shop
    bank | Namespace bank
    `,
        `
    near the threshold | ${all} | ${at(11)}
    above it, and some go | ${all} | ${at(8)}
    not far below | ${all} | ${at(12)}
    not without a threshold | ${all} | ${at(0)}
    not without the collector | ${all} | ${at(8, ', controllers: ["*", -podgc]')}
    unknown where pods were not read | ${all} | {unread: [pods], ${at(20)}}
    `,
      ),
    ).toMatchInlineSnapshot(`
      "near the threshold
        Namespace shop: 10 pods of the cluster have ended, and its terminated-pod-gc-threshold is 11; namespace shop has 7 of them
        $ kubectl gc podgc-preview
      above it, and some go
        Namespace shop: 10 pods of the cluster have ended, and its terminated-pod-gc-threshold is 8; namespace shop has 7 of them, and the next pass deletes 2
        with Pod done-0, Pod done-1
        warning, $ kubectl gc podgc-preview
      not far below
      not without a threshold
      not without the collector
      unknown where pods were not read
        10 not checked: pods were not read"
    `);
  });

  test('a threshold that was not read is a guess', () => {
    const many = Array.from({ length: 11_250 }, (_, index) =>
      pod(`done-${index}`, { uid: `uid-${index}`, facts: { phase: 'Succeeded' } }),
    );
    expect(violationsOf(endedPodsThreshold, many)).toMatchObject([
      {
        at: 'Pod done-0',
        message: expect.stringMatching(
          /^11250 pods .*threshold is 12500, .* shop has 11250 of them$/,
        ),
        confidence: 'likely',
      },
    ]);
  });
});

describe('pod-on-missing-node', () => {
  const gc = 'pod-garbage-collector-controller';
  test('finds these cases and no others', () => {
    expect(
      foundByRule(
        podOnMissingNode,
        `
    web  | Pod web-1     | {facts: {nodeName: worker-7, phase: Running}}
    node | Node worker-7
    `,
        `
    a pod is bound to a Node that is gone | web
    and is never collected | web | settings: {controllers: ["*", -${gc}]}
    not where its Node exists | web; node
    not where it is bound to none | web {facts: {nodeName: "", phase: Pending}}
    not where it was never applied | web {uid: ""}
    unknown where Nodes were not read | web | unread: [nodes]
    `,
      ),
    ).toMatchInlineSnapshot(`
      "a pod is bound to a Node that is gone
        Pod web-1: Node worker-7 does not exist; the pod is Running there
        $ kubectl delete pod/web-1 -n shop --grace-period=0 --force
      and is never collected
        Pod web-1: Node worker-7 does not exist; the pod is Running there
        so: never collected: pod-garbage-collector-controller is switched off
        $ kubectl delete pod/web-1 -n shop --grace-period=0 --force
      not where its Node exists
      not where it is bound to none
      not where it was never applied
      unknown where Nodes were not read
        1 not checked: nodes were not read"
    `);
  });
});

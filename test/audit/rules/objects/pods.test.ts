import { describe, expect, test } from 'vitest';
import { endedPodsThreshold, podOnMissingNode } from '../../../../src/audit/rules/pods.ts';
import { pod } from '../../../support/builders.ts';
import { casesOfRule } from '../../../support/rule-cases.ts';
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
  const head =
    'Namespace shop: 10 pods of the cluster have ended, and its terminated-pod-gc-threshold is';
  const fix = '$ kubectl gc podgc-preview';
  const at = (threshold: number, more = '') =>
    `settings: {terminatedPodGCThreshold: ${threshold}${more}}`;
  casesOfRule(
    endedPodsThreshold,
    `
    ${ended.join('\n')}
    web  | Pod web | {facts: {phase: Running}}
    shop | Namespace shop
    bank | Namespace bank
    `,
    `
    near the threshold        | ${all} | ${at(11)} | ${head} 11; namespace shop has 7 of them | ${fix}
    above it, and some go     | ${all} | ${at(8)} | ${head} 8; namespace shop has 7 of them, and the next pass deletes 2
        | with Pod done-0, Pod done-1 | warning, ${fix}
    not far below             | ${all} | ${at(12)}
    not without a threshold   | ${all} | ${at(0)}
    not without the collector | ${all} | ${at(8, ', controllers: ["*", -podgc]')}
    unknown where pods were not read | ${all} | {unread: [pods], ${at(20)}} | 10 not checked: pods were not read
    `,
  );

  test('a threshold that was not read is a guess', () => {
    const many = Array.from({ length: 11_250 }, (_, index) =>
      pod(`done-${index}`, { uid: `uid-${index}`, facts: { phase: 'Succeeded' } }),
    );
    expect(violationsOf(endedPodsThreshold, many)).toMatchObject([
      {
        at: 'Pod done-0',
        message:
          '11250 pods of the cluster have ended, and its terminated-pod-gc-threshold is 12500, which is the default; namespace shop has 11250 of them',
        confidence: 'likely',
      },
    ]);
  });
});

describe('pod-on-missing-node', () => {
  const found = 'Pod web-1: Node worker-7 does not exist; the pod is Running there';
  const fix = '$ kubectl delete pod/web-1 -n shop --grace-period=0 --force';
  const gc = 'pod-garbage-collector-controller';
  casesOfRule(
    podOnMissingNode,
    `
    web  | Pod web-1     | {facts: {nodeName: worker-7, phase: Running}}
    node | Node worker-7
    `,
    `
    a pod is bound to a Node that is gone | web | | ${found} | ${fix}
    and is never collected              | web | settings: {controllers: ["*", -${gc}]} | ${found}
        | so: never collected: ${gc} is switched off | ${fix}
    not where its Node exists           | web; node
    not where it is bound to none       | web {facts: {nodeName: "", phase: Pending}}
    not where it was never applied      | web {uid: ""}
    unknown where Nodes were not read   | web | unread: [nodes] | 1 not checked: nodes were not read
    `,
  );
});

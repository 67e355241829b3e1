import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { cloudNode } from '../../../src/controllers/nodes/cloud-node.ts';
import {
  minTolerationTime,
  nodeLifecycle,
  taintPause,
} from '../../../src/controllers/nodes/node-lifecycle.ts';
import type { Taint } from '../../../src/kube/facts/node.ts';
import type { Condition, ObjectFacts, ObjectRecord } from '../../../src/kube/object-record.ts';
import { defaultControllerSettings } from '../../../src/settings/controller-settings.ts';
import { node, pod } from '../../support/builders.ts';
import { objectsFrom } from '../../support/objects-from.ts';
import { rowsOf } from '../../support/rows.ts';
import { ago, decide, now, timed } from '../decided.ts';

const unreachable = { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' };
const minute = 60_000;

function nodeOf(name: string, status: string | undefined, facts: ObjectFacts = {}, heard = 1000) {
  const ready = { type: 'Ready', status: status ?? '', lastHeartbeatTime: ago(heard) };
  return node(name, { facts: { conditions: status === undefined ? [] : [ready], ...facts } });
}

describe('tolerations (NODE-7)', () => {
  const rows = rowsOf(`
    unreachable   |                                                    | 0
    unreachable   | {key: x, operator: Exists}                         | 0
    unreachable   | {key: KEY, operator: Exists, effect: NoSchedule}   | 0
    unreachable   | {key: KEY, operator: Exists}                       | Infinity
    unreachable   | {operator: Exists}                                 | Infinity
    unreachable   | {operator: Exists, effect: NoExecute}              | Infinity
    unreachable   | {key: KEY, operator: Exists, tolerationSeconds: 300} | 300000
    unreachable   | {key: KEY, tolerationSeconds: -1}                  | 0
    unreachable   | {operator: Exists, tolerationSeconds: 9}, {operator: Exists} | 9000
    unreachable   | {key: KEY, value: x}                               | 0
    unreachable   | {key: KEY, operator: In}                           | 0
    unreachable   | {key: KEY}                                         | Infinity
    unreachable=x | {key: KEY, value: x}                               | Infinity
    unreachable=x | {key: KEY, value: y}                               | 0
  `);
  test.each(rows)(
    '%s: a pod that tolerates %s stays %s ms',
    (taint = '', tolerations = '', stay) => {
      const [, value] = taint.split('=');
      const taints = [{ ...unreachable, ...(value !== undefined && { value }) }];
      const given = parse(`[${tolerations.replaceAll('KEY', unreachable.key)}]`);
      expect(`${minTolerationTime(taints, given)}`).toBe(stay);
    },
  );

  test('the shortest of all taints', () => {
    const other = { key: 'maintenance', effect: 'NoExecute' };
    const tolerations = [
      { key: unreachable.key, operator: 'Exists', tolerationSeconds: 300 },
      { key: 'maintenance', operator: 'Exists', tolerationSeconds: 60 },
    ];
    expect(minTolerationTime([unreachable, other], tolerations)).toBe(60_000);
  });
});

describe('evictions', () => {
  const tainted = nodeOf('n', 'Unknown', { taints: [unreachable] });

  /** `unreachable 120`, `maintenance:NoSchedule`: a taint, and how many seconds ago it was added. */
  const taintsIn = (text: string): Taint[] =>
    text.split(', ').map((one) => {
      const [name = '', age] = one.split(' ');
      const [key = '', effect = 'NoExecute'] = name.split(':');
      return {
        key: key === 'unreachable' ? unreachable.key : key,
        effect,
        ...(age !== undefined && { timeAdded: ago(Number(age) * 1000) }),
      };
    });
  /** `b 300`: a pod, and for how many seconds it tolerates any taint. */
  const podIn = (text: string) => {
    const [name = '', seconds] = text.split(' ');
    const tolerations = [{ operator: 'Exists', tolerationSeconds: Number(seconds) }];
    return pod(name, { facts: { nodeName: 'n', tolerations: seconds ? tolerations : [] } });
  };
  // At once without a toleration, else after it, from the taint or the start on (NODE-8); a taint without a time may be of any
  // age, the latest of several starts the timer, and a controller that runs knows the timers that it has set.
  const rows = rowsOf(`
    unreachable 30                   | a        |           | a 0 to 5
    unreachable 120                  | a, b 300 |           | a 0 to undefined, b 180 to 305
    unreachable 600                  | b 300    |           | b 0 to undefined
    unreachable 600                  | b 300    | since 60  | b 240 to 245
    unreachable 120                  | b 300    | since 300 | b 180 to 185
    unreachable 120                  | b 300    | since 60  | b 240 to 245
    unreachable                      | b 300    |           | b 0 to 305
    unreachable                      | b 300    | since 60  | b 240 to 305
    unreachable 240, maintenance 120 | b 300    |           | b 180 to 305
    unreachable 120                  | b 300    | timer 60  | b 60 to 60
    unreachable 120                  | b 300    | timer -60 | b 0 to 0
    maintenance:NoSchedule           | a        |           |
  `);
  test.each(rows)('of %s: %s, %s', (taints = '', names = '', known = '', expected = '') => {
    const pods = names.split(', ').map(podIn);
    const [word, seconds] = known.split(' ');
    const time = now + Number(seconds) * 1000;
    const timers = new Map(pods.map(({ uid }) => [uid, time]));
    const since = { startedAt: now - Number(seconds) * 1000 };
    const memory = { since, timer: { evictions: timers } }[word ?? ''] ?? {};
    const others = [nodeOf('m', 'True'), pod('c', { facts: { nodeName: 'm' } })];
    const records = [nodeOf('n', 'Unknown', { taints: taintsIn(taints) }), ...pods, ...others];
    const found = timed(nodeLifecycle, records, { memory }).filter(([name]) => name !== 'n');
    expect(found.map(([name, from, to]) => `${name} ${from} to ${to}`).join(', ')).toBe(expected);
  });

  const failedTry = { type: 'DisruptionTarget', status: 'True', reason: 'DeletionByTaintManager' };
  test.each([
    ['a minute ago', { ...failedTry, lastTransitionTime: ago(61_000) }, {}, 'unknown'],
    ['a moment ago', { ...failedTry, lastTransitionTime: ago(1000) }, {}, 'certain'],
    [
      'that was reset',
      { type: 'DisruptionTarget', status: 'False', lastTransitionTime: ago(61_000) },
      {},
      'unknown',
    ],
    [
      'before a restart',
      { ...failedTry, lastTransitionTime: ago(61_000) },
      { startedAt: now },
      'certain',
    ],
  ])('that failed are not tried again: %s', (_, condition, memory, confidence) => {
    const node = nodeOf('n', 'True', { taints: taintsIn('maintenance') });
    const evicted = pod('a', {
      facts: { nodeName: 'n', tolerations: [], conditions: [condition] },
    });
    const found = decide(nodeLifecycle, [node, evicted], { memory });
    expect(found.map((one) => [one.rule, one.confidence])).toEqual([['NODE-7', confidence]]);
  });

  test('of several taints name each', () => {
    const taints = taintsIn('unreachable 240, maintenance 120');
    const [decision] = decide(nodeLifecycle, [nodeOf('n', 'Unknown', { taints }), podIn('b 300')]);
    expect(decision?.because).toMatchInlineSnapshot(
      `"Node n has the taint node.kubernetes.io/unreachable, maintenance, and the pod tolerates it for 300 seconds"`,
    );
  });

  test('are not moved by a taint that is about to come', () => {
    const broken = { key: 'example.com/broken', effect: 'NoExecute', timeAdded: ago(0) };
    const tolerating = (brokenSeconds: number) =>
      pod('a', {
        facts: {
          nodeName: 'n',
          tolerations: [
            { key: broken.key, operator: 'Exists', tolerationSeconds: brokenSeconds },
            { key: 'node.kubernetes.io/not-ready', operator: 'Exists', tolerationSeconds: 60 },
            { key: unreachable.key, operator: 'Exists', tolerationSeconds: 120 },
          ],
        },
      });
    const found = (status: string, heard: number, brokenSeconds = 600) => {
      const silent = nodeOf('n', status, { taints: [broken] }, heard);
      return decide(nodeLifecycle, [silent, nodeOf('m', 'True'), tolerating(brokenSeconds)])
        .filter(({ rule }) => rule === 'NODE-7')
        .map(({ notBefore, confidence }) => `${(notBefore - now) / 1000} ${confidence}`);
    };
    expect(found('True', 0)).toEqual(['600 certain']);
    expect(found('False', 0)).toEqual(['600 certain']);
    expect(found('Unknown', 0)).toEqual(['600 certain']);
    expect(found('True', minute)).toEqual(['600 certain']);
    expect(found('False', minute)).toEqual(['600 certain']);
    expect(found('False', 0, 30)).toEqual(['30 certain']);
    expect(found('False', 0, 60)).toEqual(['60 certain']);
  });

  const condition = { type: 'DisruptionTarget', status: 'True', reason: 'DeletionByTaintManager' };

  test('the reason is written first, in place of an earlier one, and the pod keeps its grace (NODE-9)', () => {
    const message = 'Taint manager: deleting due to NoExecute taint';
    const before = { ...condition, reason: 'x', lastTransitionTime: '2026-01-31T10:00:00Z' };
    const written = (...conditions: Condition[]) => {
      const facts = { nodeName: 'n', conditions };
      const [decision] = decide(nodeLifecycle, [tainted, pod('a', { facts })]);
      return [decision?.patch?.body, decision?.options];
    };
    const at = (lastTransitionTime: string) => [
      { status: { conditions: [{ ...condition, message, lastTransitionTime }] } },
      undefined,
    ];
    expect([written(), written(before), written({ ...before, status: 'False' })]).toEqual([
      at('2026-01-31T12:00:00Z'),
      at(before.lastTransitionTime),
      at('2026-01-31T12:00:00Z'),
    ]);
  });

  test('a pod that is being deleted gets the condition, once (NODE-9)', () => {
    const deleting = { ...podIn('d'), deletionTimestamp: ago(0) };
    const told = (...conditions: Condition[]) => {
      const facts = { ...deleting.facts, ...(conditions.length > 0 && { conditions }) };
      const decided = decide(nodeLifecycle, [tainted, { ...deleting, facts }]);
      return decided.map(({ action, rule }) => `${action} ${rule}`).join();
    };
    expect([
      told(),
      told({ type: 'Ready', status: 'True' }, condition),
      told({ ...condition, type: 'Ready' }),
      told({ ...condition, status: 'False' }),
      told({ ...condition, reason: 'PreemptionByScheduler' }),
    ]).toEqual(['patch NODE-9', '', 'patch NODE-9', 'patch NODE-9', 'patch NODE-9']);
  });
});

describe('health (NODE-4 to NODE-6)', () => {
  const rulesOn = (...records: ObjectRecord[]) =>
    decide(nodeLifecycle, records).map(({ object, rule }) => `${object.name} ${rule}`);

  const [heartbeat, before] = [`lastHeartbeatTime: "${ago(minute)}"`, `"${ago(90_000)}"`];
  const ready = (status: string) =>
    `conditions: [{type: Ready, status: ${status}, lastHeartbeatTime: "${ago(0)}"}]`;
  const excluded = 'labels: {node.kubernetes.io/exclude-disruption: "true"}';
  const objects = objectsFrom(`
    silent | Node silent | {facts: {conditions: [{type: Ready, status: "True", ${heartbeat}}]}}
    lease  | Lease kube-node-lease/silent | {facts: {renewTime: "${ago(1000)}"}}
    young  | Node young  | {facts: {}, creationTimestamp: "${ago(30_000)}"}
    old    | Node old    | {facts: {}, creationTimestamp: ${before}}
    unread | Node unread | {creationTimestamp: ${before}}
    bad    | Node bad    | {facts: {${ready('"False"')}}}
    lost   | Node lost   | {facts: {conditions: [{type: Ready, status: Unknown, ${heartbeat}}]}}
    done   | Node done   | {facts: {${ready('Unknown')}, taints: [{key: ${unreachable.key}, effect: NoExecute}]}}
    good   | Node good   | {facts: {${ready('"True"')}}}
  `);
  const rows = rowsOf(`
    one that was not heard within its grace period is silent | silent              | silent NODE-4
    one that renews its Lease is not                         | silent; lease       |
    one that never reported is, after a minute               | young; old          | old NODE-4
    one that is known to be silent, or was not read, is left | lost; unread        |
    those that are not Ready are tainted                     | bad; lost; good     | bad NODE-5, lost NODE-5
    one that is tainted is not tainted again                 | done; good          |
    none is tainted where most of a small zone is not Ready  | bad; lost; done; good |
    none is tainted where none is Ready                      | bad; lost           |
    none counts as Ready that disruptions leave out          | bad; good {${excluded}, facts: {${ready('"True"')}}} |
  `);
  test.each(rows)('of Nodes, %s', (_, there = '', rules) => {
    expect(rulesOn(...objects(there)).join(', ')).toBe(rules);
  });

  test.each([
    // Ready, not Ready, settings, and the pause in seconds.
    [2, 2, {}, 10],
    [3, 3, {}, 10],
    [2, 3, {}, undefined],
    [2, 3, { unhealthyZoneThreshold: 0.7 }, 10],
    [3, 3, { unhealthyZoneThreshold: 0.5 }, undefined],
    [2, 3, { largeClusterSizeThreshold: 4 }, 100],
    [2, 3, { largeClusterSizeThreshold: 5 }, undefined],
    [2, 3, { largeClusterSizeThreshold: 4, secondaryNodeEvictionRate: 0.5 }, 2],
    [3, 1, { nodeEvictionRate: 2 }, 0.5],
    [3, 1, { nodeEvictionRate: 0 }, undefined],
    [0, 3, {}, 10],
  ])(
    'of a zone with %i Nodes Ready and %i not, and %o, one is tainted each %s s',
    (up, down, given, pause) => {
      const nodes = [
        ...Array.from({ length: up }, (_, index) => nodeOf(`up-${index}`, 'True')),
        ...Array.from({ length: down }, (_, index) => nodeOf(`down-${index}`, 'False')),
      ];
      const found = taintPause(nodes, { ...defaultControllerSettings, ...given });
      expect(found).toBe(pause === undefined ? undefined : pause * 1000);
    },
  );

  test('a Node is found silent within the next look, and by a new leader after its whole grace period again', () => {
    const memory = { startedAt: now - 20_000 };
    expect([
      timed(nodeLifecycle, objects('silent')),
      timed(nodeLifecycle, objects('silent'), { memory }),
    ]).toEqual([[['silent', 0, 55]], [['silent', 30, 55]]]);
  });

  test('what is written on a silent Node', () => {
    const never = { ...nodeOf('never', undefined), creationTimestamp: ago(90_000) };
    const written = decide(nodeLifecycle, [nodeOf('silent', 'True', {}, minute), never]);
    const condition = { type: 'Ready', status: 'Unknown', lastTransitionTime: ago(0) };
    const patchTo = (reason: string) => ({
      subresource: 'status',
      body: { status: { conditions: [{ ...condition, reason }] } },
    });
    expect(written.map(({ patch }) => patch)).toEqual([
      patchTo('NodeStatusUnknown'),
      patchTo('NodeStatusNeverUpdated'),
    ]);
    expect(written.map(({ because }) => because).join('\n')).toMatchInlineSnapshot(`
      "its kubelet has not reported since 2026-01-31T11:59:00Z, for longer than 50 seconds
      its kubelet has not reported since 2026-01-31T11:58:30Z, for longer than 60 seconds"
    `);
  });

  test('the taint takes the place of the other one that evicts', () => {
    const kept = [
      { key: 'example.com/broken', effect: 'NoExecute' },
      { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' },
    ];
    const other = { key: 'node.kubernetes.io/not-ready', effect: 'NoExecute' };
    const scheduling = { ...unreachable, effect: 'NoSchedule' };
    const taints = [...kept, other, scheduling];
    const [decision] = decide(nodeLifecycle, [
      nodeOf('lost', 'Unknown', { taints }),
      nodeOf('good', 'True'),
    ]);
    const added = { ...unreachable, timeAdded: '2026-01-31T12:00:00Z' };
    expect(decision?.patch).toEqual({ body: { spec: { taints: [...kept, scheduling, added] } } });
  });
});

test('only the cloud knows whether a machine exists (NODE-1)', () => {
  const records = [
    nodeOf('ready', 'True', { providerID: 'aws:///i-1' }),
    nodeOf('dead', 'Unknown', { providerID: 'aws:///i-2' }),
    nodeOf('bare', 'Unknown'),
  ];
  const of = (cloudControllerManager: boolean) =>
    decide(cloudNode, records, { settings: { cloudControllerManager } }).map(
      ({ object, confidence, notAfter }) => [object.name, confidence, notAfter],
    );
  expect([of(true), of(false)]).toEqual([[['dead', 'unknown', undefined]], []]);
});

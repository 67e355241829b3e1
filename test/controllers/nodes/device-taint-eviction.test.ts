import { expect, test } from 'vitest';
import { deviceTaintEviction } from '../../../src/controllers/nodes/device-taint-eviction.ts';
import { customType, objectOfType } from '../../support/builders.ts';
import { objectsFrom } from '../../support/objects-from.ts';
import { rowsOf } from '../../support/rows.ts';
import { ago, decide, now, timed } from '../decided.ts';

const taint = (seconds: number, effect = 'NoExecute') =>
  `{key: broken, effect: ${effect}, timeAdded: "${ago(seconds * 1000)}"}`;
const pool = (
  generation: number,
  taints = taint(100),
  device = 'gpu-0',
  of = 'driver: d, pool: p',
) =>
  `{facts: {devicePool: {${of}, generation: ${generation}, tainted: [{name: ${device}, taints: [${taints}]}]}}}`;
const tolerating = (...seconds: string[]) =>
  seconds.map((one) => `{key: broken, operator: Exists, effect: NoExecute${one}}`).join(', ');
const device = (tolerations = '') =>
  `devices: [{driver: d, pool: p, device: gpu-0, tolerations: [${tolerations}]}]`;
/** A claim that is reserved for another pod as well. */
const claiming = (tolerations = '', uid = 'uid-pod-shop-a') =>
  `{facts: {allocated: true, reservedFor: [{uid: other}, {uid: ${uid}}], ${device(tolerations)}}}`;

const objects = objectsFrom(`
  a     | Pod a | {facts: {nodeName: w1, resourceClaims: [{resourceClaimName: a}]}}
  made  | Pod a | {facts: {nodeName: w1, resourceClaimStatuses: [{resourceClaimName: a}]}}
  claim | ResourceClaim a     | ${claiming()}
  gpu   | ResourceSlice gpu   | ${pool(1)}
  newer | ResourceSlice newer | ${pool(2)}
`);
const [at30, at130] = [', tolerationSeconds: 30', ', tolerationSeconds: 130'];
const other = (of: string) => `newer ${pool(2, '', 'gpu-0', of)}`;

/** A DeviceTaintRule, by what it selects. */
const ruleOf = (selector: object | undefined) =>
  objectOfType(customType('devicetaintrules.resource.k8s.io/v1beta2 DeviceTaintRule'), 'rule', {
    facts: { deviceTaintRule: { selector, taint: { key: 'broken', effect: 'NoExecute' } } },
  } as never);

// The pod, its claim and the devices; by which rule it goes, and after how many seconds.
const rows = rowsOf(`
  goes from a tainted device at once                  | a; claim; gpu                            | DEV-1 0
  goes by a claim that was made for it                | made; claim; gpu                         | DEV-1 0
  goes when its claim no longer tolerates the taint   | a; claim ${claiming(tolerating(at130))}; gpu | DEV-2 30
  stays where its claim tolerates it                  | a; claim ${claiming(tolerating(''))}; gpu |
  goes where a toleration names no effect             | a; claim ${claiming('{operator: Exists, effect: ""}')}; gpu | DEV-1 0
  goes by the shortest of its tolerations             | a; claim ${claiming(tolerating(at130, at30))}; gpu | DEV-2 0
  goes by the first of two taints                     | a; claim ${claiming(tolerating(at130))}; gpu ${pool(1, `${taint(5)}, ${taint(100)}`)} | DEV-2 30
  stays where newer slices of the pool have no taint  | a; claim; gpu; newer ${pool(2, '')}      |
  goes whatever newer slices of another pool have     | a; claim; gpu; ${other('driver: d, pool: q')} | DEV-1 0
  goes whatever those of another driver have          | a; claim; gpu; ${other('driver: e, pool: p')} | DEV-1 0
  stays where another pool is tainted                 | a; claim; gpu ${pool(1, taint(5), 'gpu-0', 'driver: d, pool: q')} |
  stays under a taint of another effect               | a; claim; gpu ${pool(1, taint(5, 'NoSchedule'))} |
  stays where another device is tainted               | a; claim; gpu ${pool(1, taint(5), 'gpu-1')} |
  stays without slices                                | a; claim                                 |
  stays where the claim is reserved for an older one  | a; claim ${claiming('', 'older')}; gpu   |
  stays before it is bound                            | a {facts: {nodeName: "", resourceClaims: [{resourceClaimName: a}]}}; claim; gpu |
  stays as it is while it is being deleted            | a {deleting: true}; claim; gpu           |
`);
test.each(rows)('a pod %s', (_, there = '', expected = '') => {
  const decided = decide(deviceTaintEviction, objects(there)).map(
    ({ rule, notBefore }) => `${rule} ${(notBefore - now) / 1000}`,
  );
  expect(decided.join()).toBe(expected);
});

const anyEffect = claiming('{key: broken, operator: Exists, effect: ""}');
const extended = 'a {facts: {nodeName: w1, extendedResourceClaim: a}}; claim; gpu';
test.each<[string, string, string, string[]]>([
  [
    'a toleration without an effect tolerates no eviction',
    'v1.37.2',
    `a; claim ${anyEffect}; gpu`,
    ['DEV-1'],
  ],
  [
    'a toleration without an effect tolerates eviction',
    'v1.38.0',
    `a; claim ${anyEffect}; gpu`,
    [],
  ],
  ['the claim of extended resources evicts no pod', 'v1.36.3', extended, []],
  ['the claim of extended resources evicts its pod', 'v1.37.2', extended, ['DEV-1']],
])('eviction from a tainted device: %s, in %s', (_, serverVersion, there, rules) => {
  const decisions = decide(deviceTaintEviction, objects(there), { serverVersion });
  expect(decisions.map(({ rule }) => rule)).toEqual(rules);
});

test('a pod is deleted by its uid within five seconds, and its status says why', () => {
  const told = (tolerations: string) => {
    const records = objects(`a; claim ${claiming(tolerations)}; gpu`);
    const [decision] = decide(deviceTaintEviction, records);
    const [[, ...range] = []] = timed(deviceTaintEviction, records);
    return [range, decision?.options, decision?.because, decision?.patch];
  };
  const condition = {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'DeletionByDeviceTaintManager',
    message: 'Device Taint manager: deleting due to NoExecute taint',
    lastTransitionTime: ago(0),
  };
  const patch = { subresource: 'status', body: { status: { conditions: [condition] } } };
  const why = 'device d/p/gpu-0 has the taint broken, and its claim';
  const options = { uid: 'uid-pod-shop-a' };
  expect([told(''), told(tolerating(at130))]).toEqual([
    [[0, 5], options, `${why} does not tolerate it`, patch],
    [[30, 35], options, `${why} tolerates it for 130 seconds`, patch],
  ]);
});

test('a DeviceTaintRule taints every device that it selects', () => {
  const selectors = [
    ...[{}, { driver: 'd' }, { pool: 'p', device: 'gpu-0' }],
    ...[undefined, { driver: 'other' }, { pool: 'other' }, { device: 'other' }],
  ];
  const [yes, no] = [['DEV-1'], []];
  const decided = selectors.map((selector) =>
    decide(deviceTaintEviction, [ruleOf(selector), ...objects('a; claim')]).map(({ rule }) => rule),
  );
  expect(decided).toEqual([yes, yes, yes, no, no, no, no]);
});

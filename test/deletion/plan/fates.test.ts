import { describe, expect, test } from 'vitest';
import type { Decision } from '../../../src/controllers/controller.ts';
import { fatesIn, type Verdict } from '../../../src/deletion/plan/fates.ts';
import type { TouchedObject } from '../../../src/deletion/plan/play/touched-objects.ts';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { referenceTo } from '../../../src/kube/object-reference.ts';
import type { Simulation } from '../../../src/simulator/simulation.ts';
import { builderOf, configMap, pod } from '../../support/builders.ts';
import { left, step, touched } from './played.ts';
import { namespace } from './told.ts';

const definition = builderOf('apiextensions.k8s.io/v1', 'CustomResourceDefinition');
const claim = builderOf('v1', 'PersistentVolumeClaim');
const a = configMap('a');
const b = configMap('b');

interface Story {
  readonly held?: Simulation;
  readonly untouched?: Simulation;
  readonly refused?: ReadonlyMap<string, string>;
  readonly unseen?: readonly string[];
}

function verdictOn(object: TouchedObject, story: Story = {}): Verdict {
  const { unseen = [] } = story;
  const held = story.held ?? left([]);
  const played = {
    plays: { untouched: story.untouched ?? left([]), held, released: held },
    requests: [],
    refused: story.refused ?? new Map(),
  };
  return fatesIn('held', played, () => unseen)(object);
}

/** `deleted (GC-61): it is gone`. */
function told(object: TouchedObject, story?: Story): string {
  const { fate, rule, because, likely } = verdictOn(object, story);
  return `${fate}${likely ? ', likely' : ''} (${rule}): ${because}`;
}

describe('a deleted object', () => {
  const user = { actor: 'user', rule: 'GC-61' } as const;

  test('says what began its deletion, and what ended it', () => {
    const marked = step(a, { ...user, result: 'terminating', because: 'requested' });
    const changed = step(a, { result: 'changed', because: 'its finalizer is removed' });
    const refused = step(a, { result: 'refused', because: 'refused' });
    const gone = step(a, { because: 'no dependent is left' });
    const other = step(b, { because: 'of another object' });
    const deleted = (...steps: Simulation['steps']) =>
      told(touched(a), { held: left([], { steps }) });
    const reasons = [
      deleted(other, gone, other),
      deleted(marked, gone),
      deleted(changed, marked),
      deleted(marked, changed, refused),
      deleted(refused, gone),
      deleted(marked, refused),
      deleted(changed),
      deleted(),
    ];
    expect(reasons.join('\n')).toMatchInlineSnapshot(`
      "deleted (GC-22.13): no dependent is left
      deleted (GC-61): requested; no dependent is left
      deleted (GC-61): requested; its finalizer is removed
      deleted (GC-61): requested; its finalizer is removed
      deleted (GC-22.13): no dependent is left
      deleted (GC-61): requested
      deleted (GC-22.13): it is being deleted already; its finalizer is removed
      deleted (GC-61): its deletion ends immediately"
    `);
  });

  test('is unknown where a target was never there in any play', () => {
    const target = touched(a, { isTarget: true, ends: { untouched: undefined } });
    expect(told(target)).toMatchInlineSnapshot(
      `"unknown (GC-5): the input contains another object of its name or its uid, and only one can exist"`,
    );
    expect(told({ ...target, isTarget: false })).toMatch(/^deleted /);
    expect(told(touched(a, { isTarget: true }))).toMatch(/^deleted /);
    const going = configMap('a', { deleting: 'background' });
    expect(told(touched(going, { isTarget: true, ends: { untouched: undefined } }))).toMatch(
      /^deleted /,
    );
  });

  test('is unknown of a namespace and a definition that may hold what was not read', () => {
    const unseen = ['widgets.example.com', 'pods'];
    const shop = namespace('shop');
    const begun = left([], {
      steps: [step(shop, { result: 'terminating', because: 'requested' })],
    });
    const reasons = [
      told(touched(shop), { held: begun, unseen }),
      told(touched(definition('widgets.example.com')), { unseen }),
    ];
    expect(reasons.join('\n')).toMatchInlineSnapshot(`
      "unknown (GC-71): requested; whether it goes is unknown: widgets.example.com, pods could not be read, and it goes when none is left
      unknown (GC-66): it is being deleted already; whether it goes is unknown: widgets.example.com, pods could not be read, and it goes when none is left"
    `);
  });
});

describe('a deleted claim', () => {
  const data = claim('data', { finalizers: ['kubernetes.io/pvc-protection'] });
  const volumes = [{ name: 'data', claimName: 'data' }];
  const facts = { nodeName: 'a', volumes };
  const uses = (claimed: ObjectRecord, ...pods: ObjectRecord[]) => {
    const [first] = pods;
    const steps = [
      step(claimed, { because: 'requested' }),
      ...(first ? [step(first, { at: '2026-01-03T00:00:29.200Z' })] : []),
      step(claimed, { at: '2026-01-03T00:00:40.000Z', result: 'changed', because: 'let go' }),
    ];
    const story = { held: left([], { steps }), untouched: left([...pods, configMap('data')]) };
    return verdictOn(touched(claimed), story).because;
  };

  test('says which pods on Nodes use it, and until when', () => {
    const [two, three, four] = ['two', 'three', 'four'].map((name) => pod(name, { facts }));
    if (!two || !three || !four) throw new Error('three pods');
    const reasons = [
      uses(data, pod('db', { facts })),
      uses(data, pod('db', { facts }), two, three, four),
    ];
    expect(reasons.join('\n')).toMatchInlineSnapshot(`
      "requested; let go; Pod db uses it, and is removed within 30s
      requested; let go; Pod db uses it, and is removed within 30s; Pod two uses it; Pod three uses it"
    `);
  });

  const db = pod('db', { facts });
  const stepsBefore = (...steps: Simulation['steps']) =>
    verdictOn(touched(data), { held: left([], { steps }), untouched: left([db]) }).because;
  test('counts from the first request on, whatever controllers did before', () => {
    const because = stepsBefore(
      step(configMap('other'), { at: '2026-01-03T00:00:00.000Z' }),
      step(data, { actor: 'user', at: '2026-01-03T00:00:10.000Z', because: 'requested' }),
      step(db, { at: '2026-01-03T00:00:40.000Z' }),
    );
    expect(because).toMatchInlineSnapshot(`"requested; Pod db uses it, and is removed within 30s"`);
  });

  test('says so of a pod that is deleted in the same moment', () => {
    expect(stepsBefore(step(data), step(db))).toMatch(/^removed by a test; Pod db uses it, /);
  });

  test.each<[string, ObjectRecord, ObjectRecord]>([
    ['in another namespace', data, pod('db', { namespace: 'elsewhere', facts })],
    ['without a Node', data, pod('db', { facts: { ...facts, nodeName: '' } })],
    ['that uses another claim', data, pod('db', { facts: { nodeName: 'a', volumes: [] } })],
    ['with an unprotected claim', claim('data'), pod('db', { facts })],
  ])('does not mention a pod %s', (_, claimed, user) => {
    expect(uses(claimed, user)).toBe('requested; let go');
  });
});

describe('what is open', () => {
  const because = 'by timing';

  test('is unknown, by another rule where something was not read', () => {
    const undetermined = left([a], { undetermined: [{ object: referenceTo(a), because }] });
    const unread = left([a], { unknown: [{ object: referenceTo(a), because }] });
    expect(told(touched(a), { held: undetermined })).toBe(`unknown (SIM-4): ${because}`);
    expect(told(touched(a), { held: unread })).toBe(`unknown (GC-29): ${because}`);
    expect(told(touched(b), { held: unread })).toMatch(/^deleted /);
  });

  test('is a likely deletion where a program that no snapshot shows decides', () => {
    const due = (object: ObjectRecord, changes: Partial<Decision> = {}) => ({
      decision: {
        object,
        action: 'delete',
        confidence: 'likely',
        because: 'its provisioner deletes it, if it runs',
        rule: 'PV-2',
        ...changes,
      } as Decision,
    });
    const open = (...dues: ReturnType<typeof due>[]) =>
      told(touched(a), {
        held: left([a], {
          unknown: [{ object: referenceTo(a), because }],
          dues: dues as unknown as Simulation['dues'],
        }),
      });
    expect(open(due(a))).toBe('deleted, likely (PV-2): its provisioner deletes it, if it runs');
    expect(open(due(b))).toBe(`unknown (GC-29): ${because}`);
    expect(open(due(a, { confidence: 'certain' }))).toBe(`unknown (GC-29): ${because}`);
    expect(open(due(a, { action: 'patch' }))).toBe(`unknown (GC-29): ${because}`);
    // Where its end is certain, that counts.
    const dues = [due(a)] as unknown as Simulation['dues'];
    expect(told(touched(a), { held: left([], { dues }) })).toMatch(/^deleted \(GC-61\)/);
  });
});

describe('what is left terminating', () => {
  const held = (record: ObjectRecord, story: Partial<Simulation> = {}, ...also: ObjectRecord[]) =>
    verdictOn(touched(record, { ends: { held: record, released: record } }), {
      held: left([record, ...also], story),
    });
  const going = (finalizers: readonly string[]) =>
    configMap('a', { deleting: 'background', finalizers });

  test('says what began it, what it waits for, and by which rule', () => {
    const record = going(['x.com/y']);
    const blockedBy = [{ kind: 'finalizer', name: 'x.com/y' }] as const;
    const stuck = [{ object: referenceTo(record), because: 'x.com/y is there', on: [], blockedBy }];
    const steps = [
      step(record, { result: 'refused', because: 'refused' }),
      step(record, { result: 'terminating', because: 'requested', rule: 'GC-57' }),
    ];
    expect(held(record, { stuck, steps })).toEqual({
      fate: 'terminating',
      because: 'requested; x.com/y is there',
      rule: 'GC-57',
      blockedBy,
    });
  });

  test('was so already where nothing began it, and may only need longer', () => {
    const waiting = [going(['x.com/y']), going(['kubernetes.io/pvc-protection', 'x.com/y'])];
    const told = waiting.map((record) => held(record));
    expect(told.map(({ rule }) => rule)).toEqual(['GC-62', 'GC-62']);
    expect(told.map(({ because }) => because).join('\n')).toMatchInlineSnapshot(`
      "it is being deleted already; its deletion takes longer than was looked ahead
      it is being deleted already; its deletion takes longer than was looked ahead; the PVC protection controller removes kubernetes.io/pvc-protection when no pod that is bound to a node names the claim, finished ones included"
    `);
  });
});

describe('what stays', () => {
  const stays = (
    { isTarget = false, ...ends }: Partial<TouchedObject['ends']> & { readonly isTarget?: boolean },
    story: Story = {},
  ) => told(touched(a, { isTarget, ends: { held: a, released: a, ...ends } }), story);

  test('is what the API server refuses to delete, where a user asked for it', () => {
    const refused = step(a, {
      actor: 'user',
      result: 'refused',
      because: 'forbidden',
      rule: 'GC-66',
    });
    const story = (one: typeof refused) => ({ held: left([a], { steps: [one] }) });
    expect(stays({ isTarget: true }, story(refused))).toMatch(/^kept \(GC-66\): .*: forbidden$/);
    const [other, idle] = [
      { ...refused, actor: 'kubelet' as const },
      { ...refused, result: 'unchanged' as const },
    ];
    expect(stays({}, story(refused))).toMatch(/^kept \(GC-22\.10\)/);
    expect(stays({ isTarget: true }, story(other))).toMatch(/^kept \(GC-22\.10\)/);
    expect(stays({ isTarget: true }, story(idle))).toMatch(/^kept \(GC-22\.10\)/);
  });

  test('is deleted only once the object that it is deleted with is released', () => {
    const reasons = [
      stays({ released: undefined }),
      stays({ released: undefined, untouched: undefined }),
    ];
    expect(reasons.join('\n')).toMatchInlineSnapshot(`
      "kept (GC-22.10): pending: what it is deleted with is blocked
      kept (GC-22.10): nothing happens to it"
    `);
  });

  test('says why it would go without this deletion', () => {
    const steps = [
      step(a, { because: 'its owner is absent', rule: 'GC-22.12' }),
      step(a, { result: 'refused', because: 'refused' }),
    ];
    const story = { untouched: left([], { steps }) };
    const reasons = [stays({ untouched: undefined }, story), stays({}, story)];
    expect(reasons.join('\n')).toMatchInlineSnapshot(`
      "kept (GC-22.12): it stays; without this deletion it would be deleted: its owner is absent
      kept (GC-22.12): its owner is absent"
    `);
  });
});

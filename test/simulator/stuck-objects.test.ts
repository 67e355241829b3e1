import { describe, expect, test } from 'vitest';
import type { ObjectRecord } from '../../src/kube/object-record.ts';
import { referenceTo } from '../../src/kube/object-reference.ts';
import { beginSimulation } from '../../src/simulator/simulate.ts';
import {
  blocking,
  builderOf,
  configMap,
  node,
  ownedBy,
  pod,
  secret,
  snapshotOf,
  widget,
} from '../support/builders.ts';

const claim = builderOf('v1', 'PersistentVolumeClaim');
const volume = builderOf('v1', 'PersistentVolume');
const namespace = builderOf('v1', 'Namespace');
const definition = builderOf('apiextensions.k8s.io/v1', 'CustomResourceDefinition');

interface Running {
  readonly controllers?: readonly string[];
  readonly kubelets?: boolean;
  /** Do the controllers other than the garbage collector run at all? */
  readonly others?: boolean;
}

/** Of each object that is left terminating: what it waits for, and the names of what holds it. */
function stuck(records: readonly ObjectRecord[], running: Running = {}) {
  const { controllers = ['*'], kubelets = false, others } = running;
  const clock = {
    now: Date.parse('2026-02-01T00:00:00Z'),
    duration: 60_000,
    ...(others !== undefined && { controllers: others }),
  };
  const simulation = beginSimulation(snapshotOf(records), [], { controllers, kubelets }, clock);
  return simulation.inOneOrder().stuck;
}

/** Of the first of these: `blocked by … [Secret one]`. */
function why(record: ObjectRecord, others: readonly ObjectRecord[] = [], running: Running = {}) {
  const [one] = stuck([record, ...others], running).filter(
    ({ object }) => object.uid === record.uid,
  );
  const on = one?.on.map(({ kind, name }) => `${kind} ${name}`) ?? [];
  return one && [one.because, ...(on.length > 0 ? [`[${on.join(', ')}]`] : [])].join(' ');
}

const going = (...finalizers: string[]) =>
  configMap('root', { deleting: 'background', finalizers });

describe('finalizers', () => {
  test('of others stay', () => {
    expect(why(going('a.com/x', 'b.com/y'))).toBe(
      'nothing that is simulated removes its finalizer a.com/x; nothing that is simulated removes its finalizer b.com/y',
    );
    expect(stuck([configMap('alive', { finalizers: ['a.com/x'] })])).toEqual([]);
  });

  test('of the garbage collector stay where it does not run', () => {
    const controllers = ['namespace-controller'];
    const because = (name: string) =>
      `the garbage collector, which would remove ${name}, does not run`;
    expect(why(going('orphan'), [], { controllers })).toBe(because('orphan'));
    expect(why(going('foregroundDeletion'), [], { controllers })).toBe(
      because('foregroundDeletion'),
    );
  });

  test('of a definition wait for its instances', () => {
    const finalizers = ['customresourcecleanup.apiextensions.k8s.io'];
    const widgets = definition('widgets.example.com', { deleting: 'background', finalizers });
    expect(why(widgets, [widget('w', { finalizers: ['a.com/x'] })])).toBe(
      'instances of it are left',
    );
  });

  test('of foreground deletion wait for the dependents that block it, and only those', () => {
    const root = going('foregroundDeletion');
    const held = (name: string, block = true) =>
      secret(name, {
        ownerReferences: [ownedBy(root, block ? blocking : {}), ownedBy(root, blocking)].slice(
          0,
          block ? 2 : 1,
        ),
        finalizers: ['a.com/x'],
      });
    expect(why(root, [held('one'), held('loose', false)])).toBe(
      'blocked by its dependent Secret one [Secret one]',
    );
    const many = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => held(name));
    expect(why(root, many)).toBe(
      'blocked by its dependents Secret a, Secret b, Secret c, Secret d, Secret e and 2 more [Secret a, Secret b, Secret c, Secret d, Secret e, Secret f, Secret g]',
    );
  });
});

describe('a namespace', () => {
  const shop = (...specFinalizers: string[]) =>
    namespace('shop', { deleting: 'background', facts: { phase: 'Terminating', specFinalizers } });
  const held = { finalizers: ['a.com/x'] };

  test('waits for what is left in it', () => {
    const content = [configMap('one', held), configMap('two', held), secret('three', held)];
    expect(why(shop('kubernetes'), [...content, secret('far', { ...held, namespace: 'b' })])).toBe(
      '2 configmaps, 1 secrets are left in it',
    );
  });

  test('waits for its own finalizers, and for its controller', () => {
    expect(why(shop('kubernetes', 'a.com/x'))).toBe(
      'nothing that is simulated removes a.com/x from its spec.finalizers',
    );
    expect(why(shop('kubernetes'), [], { controllers: ['garbage-collector-controller'] })).toBe(
      'the namespace controller does not run',
    );
  });
});

describe('a pod', () => {
  const lost = (nodeName?: string) =>
    pod('p', {
      deletionTimestamp: '2026-01-31T00:00:00Z',
      deletionGracePeriodSeconds: 30,
      ...(nodeName !== undefined && { facts: { nodeName } }),
    });
  const none = { controllers: ['garbage-collector-controller'] };

  test('waits for the kubelet of its Node', () => {
    expect(why(lost('a'), [node('a')], none)).toBe(
      'no kubelet on a confirms that its containers have stopped',
    );
    expect(why(lost('a'), [node('b')], { ...none, kubelets: true })).toBe(
      'its node a does not exist, so no kubelet confirms that its containers have stopped',
    );
    expect(why(lost('a'), [node('a')], { ...none, kubelets: true })).toBeUndefined();
    expect(why(lost(), [], none)).toBe(
      'it was not read which node it is on, whose kubelet has to confirm that its containers have stopped',
    );
  });

  test('with a grace period that is longer than was looked ahead is not over', () => {
    const slow = pod('p', {
      deletionTimestamp: '2026-02-01T01:00:00Z',
      deletionGracePeriodSeconds: 3600,
      facts: { nodeName: 'a' },
    });
    expect(why(slow, [node('a')], { kubelets: true })).toBe('its grace period is not over');
  });

  test('with finalizers says these alone', () => {
    const held = { ...lost('a'), finalizers: ['a.com/x'] };
    expect(why(held, [node('a')], none)).toBe(
      'nothing that is simulated removes its finalizer a.com/x',
    );
  });
});

describe('storage', () => {
  const ofClaims = 'kubernetes.io/pvc-protection';
  const ofVolumes = 'kubernetes.io/pv-protection';
  const data = claim('data', { deleting: 'background', finalizers: [ofClaims] });
  const volumes = [{ name: 'v', claimName: 'data' }];
  const user = (name: string, changes: object = {}) =>
    pod(name, { facts: { nodeName: 'a', phase: 'Running', volumes, ...changes } });
  const disk = (facts?: ObjectRecord['facts']) =>
    volume('pv', { deleting: 'background', finalizers: [ofVolumes], facts });
  const bound = {
    claimRef: { kind: 'PersistentVolumeClaim', namespace: 'shop', name: 'data' },
    phase: 'Bound',
  };

  test('a claim waits for the pods on Nodes that use it', () => {
    const others = [
      user('idle', { nodeName: '' }),
      user('away', { volumes: [] }),
      pod('far', { namespace: 'b', facts: { nodeName: 'a', volumes } }),
    ];
    expect(why(data, [node('a'), user('one'), user('two'), ...others])).toBe(
      'used by Pod one, Pod two [Pod one, Pod two]',
    );
  });

  test('a volume waits for its claim', () => {
    const facts = { volumeName: 'pv', phase: 'Bound' };
    expect(why(disk(bound), [claim('data', { facts })])).toBe(
      'it is bound to claim data [PersistentVolumeClaim data]',
    );
    expect(why(disk())).toBe('it was not read whether it is bound to a claim');
  });

  test('waits for the controller that lets it go, where that does not run', () => {
    expect(why(data, [], { controllers: ['*', '-pvc-protection'] })).toBe(
      `persistentvolumeclaim-protection-controller, which would remove ${ofClaims}, does not run`,
    );
    expect(why(disk(bound), [], { controllers: ['*', '-pv-protection'] })).toBe(
      `persistentvolume-protection-controller, which would remove ${ofVolumes}, does not run`,
    );
  });

  test('is as any other where these controllers are not simulated', () => {
    expect(why(data, [], { others: false })).toBe(
      `nothing that is simulated removes its finalizer ${ofClaims}`,
    );
  });
});

test('what is named is the object itself', () => {
  const root = going('a.com/x');
  expect(stuck([root])[0]?.object).toEqual(referenceTo(root));
});

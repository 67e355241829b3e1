import type { DeletionIntent, PlanContext } from '../src/deletion/plan/plan.ts';
import { planDeletion } from '../src/deletion/plan/plan-deletion.ts';
import { builtInTypes } from '../src/kube/built-in-types.ts';
import { bareRecord, noReferences, type ObjectRecord } from '../src/kube/object-record.ts';
import { apiVersionOf } from '../src/kube/resource-type.ts';
import { ResourceTypes } from '../src/kube/resource-types.ts';
import { simulate } from '../src/simulator/simulate.ts';
import type { Snapshot } from '../src/snapshot/snapshot.ts';

/**
 * What planning costs, compared with the two simulations that it is made of: families of a
 * Deployment, two ReplicaSets and seven pods, of which some hang on the ConfigMap that is deleted.
 *
 *   node bench/plan.ts [OBJECTS [DEPENDENTS [RUNS]]]
 */
const [size = 100_000, dependents = 10_000, runs = 3] = process.argv.slice(2).map(Number);
const types = new ResourceTypes(builtInTypes, { exhaustive: true });
const context: PlanContext = {
  now: Date.parse('2026-01-02T00:00:00Z'),
  settings: {},
  cluster: { server: '', uid: '' },
};
const root = object('v1', 'ConfigMap', 'root');
const snapshot = snapshotOf(clusterOf(size, dependents));

console.log('policy\tobjects\ttwo simulations, CPU s\tplan, CPU s\tratio');
for (const policy of ['Background', 'Foreground', 'Orphan'] as const) measure(policy);

function measure(policy: DeletionIntent['policy']): void {
  const clock = { now: context.now };
  const request = {
    verb: 'delete',
    apiVersion: 'v1',
    kind: 'ConfigMap',
    namespace: 'bench',
    name: 'root',
    after: 0,
    options: { propagationPolicy: policy },
  } as const;
  const simulations: number[] = [];
  const plans: number[] = [];
  let objects = 0;
  for (let run = 0; run < runs; run++) {
    const twice = () => {
      simulate(snapshot, [], {}, clock);
      simulate(snapshot, [request], {}, clock);
    };
    simulations.push(busy(twice));
    const plan = () => {
      objects = planDeletion(snapshot, { targets: [root], policy }, context).objects.length;
    };
    plans.push(busy(plan));
  }
  const two = median(simulations);
  const one = median(plans);
  const figures = [two, one, one / two].map((value) => value.toFixed(2));
  console.log([policy, objects, ...figures].join('\t'));
}

/** CPU seconds. */
function busy(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

function clusterOf(count: number, owned: number): ObjectRecord[] {
  const records = [root];
  for (let family = 0; records.length < count; family++) {
    const owners = records.length <= owned ? [root] : [];
    const deployment = object('apps/v1', 'Deployment', `web-${family}`, owners);
    records.push(deployment);
    for (const pods of [0, 7]) {
      const name = `web-${family}-${pods}`;
      const replicaSet = object('apps/v1', 'ReplicaSet', name, [deployment]);
      records.push(replicaSet);
      for (let pod = 0; pod < pods; pod++) {
        records.push(object('v1', 'Pod', `${name}-${pod}`, [replicaSet]));
      }
    }
  }
  return records;
}

function object(
  apiVersion: string,
  kind: string,
  name: string,
  owners: readonly ObjectRecord[] = [],
): ObjectRecord {
  const type = types.find(apiVersion, kind);
  if (!type) throw new Error(`nobody serves ${apiVersion} ${kind}`);
  const references = owners.map((owner) => ({
    apiVersion: apiVersionOf(owner.type),
    kind: owner.type.kind,
    name: owner.name,
    uid: owner.uid,
    controller: true,
    blockOwnerDeletion: true,
  }));
  return {
    ...bareRecord({ type, namespace: 'bench', name }),
    uid: `uid-${kind}-${name}`,
    resourceVersion: '1',
    creationTimestamp: '2026-01-01T00:00:00Z',
    ownerReferences: references.length > 0 ? references : noReferences,
    facts: kind === 'Pod' ? { nodeName: 'a', phase: 'Running' } : undefined,
  };
}

function snapshotOf(records: readonly ObjectRecord[]): Snapshot {
  return {
    records,
    types,
    observedAt: '2026-01-02T00:00:00Z',
    serverVersion: 'v1.36.3',
    origin: { kind: 'files', paths: [] },
    coverage: { read: [], asked: [], problems: [] },
  };
}

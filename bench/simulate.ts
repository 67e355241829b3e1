import { builtInTypes } from '../src/kube/built-in-types.ts';
import { bareRecord, noReferences, type ObjectRecord } from '../src/kube/object-record.ts';
import { apiVersionOf, type ResourceType } from '../src/kube/resource-type.ts';
import { ResourceTypes } from '../src/kube/resource-types.ts';
import { parseRequests } from '../src/questions/simulate/scenario.ts';
import { simulate } from '../src/simulator/simulate.ts';
import type { Snapshot } from '../src/snapshot/snapshot.ts';

/**
 * How long a simulation takes and what it needs: clusters of Deployments with ReplicaSets and pods,
 * a tenth of which hangs on one ConfigMap that is deleted in the foreground.
 *
 *   node --expose-gc bench/simulate.ts [OBJECTS...]
 */
const types = new ResourceTypes(builtInTypes, { exhaustive: true });
const sizes = process.argv.slice(2).map(Number);

console.log('objects\tdeleted\tseconds\tCPU s\tCPU µs/object\tMB more\tbytes/object\tsteps');
for (const size of sizes.length > 0 ? sizes : [1_000, 10_000, 100_000, 1_000_000]) measure(size);

function measure(size: number): void {
  const snapshot = snapshotOf(clusterOf(size));
  const requests = parseRequests(
    [
      {
        verb: 'delete',
        apiVersion: 'v1',
        kind: 'ConfigMap',
        namespace: 'bench',
        name: 'root',
        propagationPolicy: 'Foreground',
      },
    ],
    'requests',
  );
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  const start = performance.now();
  const idle = process.cpuUsage();
  const simulation = simulate(snapshot, requests, {}, { now: Date.parse(snapshot.observedAt) });
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(idle);
  const busy = (user + system) / 1e6;
  const more = process.memoryUsage().heapUsed - before;
  const deleted = snapshot.records.length - simulation.objects.length;
  const row = [
    snapshot.records.length,
    deleted,
    seconds.toFixed(2),
    busy.toFixed(2),
    ((busy * 1e6) / size).toFixed(1),
    (more / 1e6).toFixed(0),
    Math.round(more / size),
    simulation.steps.length,
  ];
  console.log(row.join('\t'));
}

/** Families of one Deployment, two ReplicaSets and seven pods; every tenth belongs to the root. */
function clusterOf(size: number): ObjectRecord[] {
  const records: ObjectRecord[] = [object('v1', 'ConfigMap', 'root')];
  for (let family = 0; records.length < size; family++) {
    const owner = family % 10 === 0 ? records.slice(0, 1) : [];
    const deployment = object('apps/v1', 'Deployment', `web-${family}`, owner);
    records.push(deployment);
    for (let generation = 0; generation < 2; generation++) {
      const name = `web-${family}-${generation}`;
      const replicaSet = object('apps/v1', 'ReplicaSet', name, [deployment]);
      records.push(replicaSet);
      const pods = generation === 0 ? 0 : 7;
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
  const type = types.find(apiVersion, kind) as ResourceType;
  return {
    ...bareRecord({ type, namespace: 'bench', name: flat(name) }),
    uid: flat(`uid-of-${kind}-${name}`),
    resourceVersion: '1',
    creationTimestamp: '2026-01-01T00:00:00Z',
    ownerReferences:
      owners.length === 0
        ? noReferences
        : owners.map((owner) => ({
            apiVersion: apiVersionOf(owner.type),
            kind: owner.type.kind,
            name: owner.name,
            uid: owner.uid,
            controller: true,
            blockOwnerDeletion: true,
          })),
    facts:
      kind === 'Pod'
        ? { nodeName: 'node', phase: 'Running', terminationGracePeriodSeconds: 30 }
        : undefined,
  };
}

/** A string as a parser makes it: concatenated ones are slow to hash the first time. */
function flat(text: string): string {
  return Buffer.from(text).toString('latin1');
}

function snapshotOf(records: readonly ObjectRecord[]): Snapshot {
  return {
    records,
    types,
    coverage: { read: [], asked: [], problems: [] },
    observedAt: '2026-02-01T00:00:00Z',
    serverVersion: undefined,
    origin: { kind: 'files', paths: [] },
  };
}

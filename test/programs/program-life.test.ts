import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { FinalizerController } from '../../src/programs/known-finalizers.ts';
import {
  isProgram,
  lifeInWords,
  type ProgramLife,
  programKindsUnread,
  programLives,
} from '../../src/programs/program-life.ts';
import { tracesOf } from '../../src/programs/traces.ts';
import { coverageIndexOf } from '../../src/snapshot/coverage.ts';
import { ago, hour, now } from '../controllers/decided.ts';
import { servedTypes, snapshotOf } from '../support/builders.ts';
import { objectsFrom } from '../support/objects-from.ts';
import { rowsOf } from '../support/rows.ts';

const ready = (status: string) => `conditions: [{type: Ready, status: "${status}"}]`;
const [fresh, stale] = [ago(10_000), ago(hour)];
const crashing = 'containerStatuses: [{name: c, waitingReason: CrashLoopBackOff}]';
const image = (name: string) => `containers: [{name: c, image: "ghcr.io/${name}:v1"}]`;

const objects = objectsFrom(`
  keeper | Deployment keeper   | {facts: {replicas: 2, readyReplicas: 1}}
  down   | Deployment keeper   | {facts: {replicas: 2, observedGeneration: 1}}
  other  | StatefulSet keeper  | {facts: {readyReplicas: 1}}
  daemon | DaemonSet keeper    | {facts: {desiredNumberScheduled: 3, numberReady: 2}}
  rs     | ReplicaSet keeper-1 | {facts: {replicas: 1}}
  web    | Deployment web      | {facts: {${image('web')}}}
  web-1  | ReplicaSet web-1    | {under: web, facts: {replicas: 1}}
  of-web | Pod web-1-x         | {under: web-1, labels: {pod-template-hash: "1"}}
  pod    | Pod keeper          | {facts: {phase: Running, ${ready('True')}}}
  made   | Pod keeper-1-x      | {under: rs, labels: {pod-template-hash: "1"}, facts: {phase: Running, ${ready('True')}}}
  loops  | Pod keeper-1-y      | {under: rs, labels: {pod-template-hash: "1"}, facts: {phase: Running, ${ready('False')}, ${crashing}}}
  lease  | Lease keeper-lock-1 | {facts: {renewTime: "${fresh}", leaseDurationSeconds: 15}}
  stale  | Lease keeper-lock-1 | {facts: {renewTime: "${stale}", leaseDurationSeconds: 15}}
  named  | Lease keeper        | {facts: {renewTime: "${fresh}", leaseDurationSeconds: 15}}
  far    | Lease bank/keeper   | {facts: {renewTime: "${fresh}", leaseDurationSeconds: 15}}
  traced | Lease db.example.com | {facts: {renewTime: "${fresh}", leaseDurationSeconds: 15}}
  leader | Lease kube-system/kube-controller-manager | {facts: {renewTime: "${fresh}", leaseDurationSeconds: 15}}
  map    | ConfigMap keeper
`);

const keeper: FinalizerController = {
  title: 'Keeper',
  runsIn: 'workload',
  names: ['keeper'],
  images: ['acme/keeper'],
  leases: ['keeper-lock-*'],
};

interface How extends Partial<FinalizerController> {
  readonly unread?: readonly string[];
  readonly of?: 'files';
  readonly finalizer?: string;
}

function lifeOf(there: string, how = ''): ProgramLife {
  const { unread = [], of, finalizer, ...controller }: How = parse(`{${how}}`);
  const seen = { records: objects(there), unread, now, ofCluster: of === undefined };
  return programLives(seen)(
    { ...keeper, ...controller },
    finalizer ? tracesOf(finalizer, '') : undefined,
  )('shop');
}

/** Whether a program runs, by rows: the case, what was read, and how. */
function livesOf(table: string): string {
  const lives = rowsOf(table).map(([title, there = '', how]) => {
    const { state, because } = lifeOf(there, how);
    return `${title}\n  ${state}: ${because}`;
  });
  return lives.join('\n');
}

describe('a program, by its pods', () => {
  test('is known by the readiness of its pods', () => {
    const lives = livesOf(`
    runs where one is ready | keeper
    runs where one of one is ready | other
    runs where one is available | keeper {facts: {replicas: 2, availableReplicas: 1}}
    runs before one has been ready for long | keeper {facts: {replicas: 2, readyReplicas: 1, availableReplicas: 0}}
    runs on some of all Nodes | daemon
    runs on Nodes whose number is not known | daemon {facts: {numberReady: 2}}
    runs where one of two programs does | down; other
    runs by a pod of its own | pod
    is down where none is ready | down
    is down without a status in a cluster | keeper {facts: {}}
    is down where it is scaled to 0 | keeper {facts: {replicas: 0, readyReplicas: 1}}
    is down where its pod is not ready | pod {facts: {phase: Running, ${ready('False')}}}
    is down where its pod waits | pod {facts: {phase: Pending}}
    is down where its pods crash, which are named | down; loops
    is unread where another may look like it, and its pods that crash are named | down; loops | unread: [statefulsets.apps]
    is unread where its pod's phase is | pod {facts: {}}
    is unread where its pod's readiness is | pod {facts: {phase: Running}}
    is unread by its metadata alone | keeper {facts: null}
    is unread where one of two is | down; other {facts: null}
    is unread without a status in a file | keeper {facts: {replicas: 2}} | of: files
    is down by what its controller saw, in a file | down | of: files
    is down by its number of pods, in a file | keeper {facts: {statusReplicas: 1}} | of: files
    is down by its ready pods, in a file | keeper {facts: {readyReplicas: 0}} | of: files
    is unclear where it is one of many | keeper | oneOfMany: true
    `);
    expect(lives).toMatchInlineSnapshot(`
      "runs where one is ready
        runs: Deployment shop/keeper has 1 of 2 pods ready
      runs where one of one is ready
        runs: StatefulSet shop/keeper has 1 of 1 pods ready
      runs where one is available
        runs: Deployment shop/keeper has 1 of 2 pods ready
      runs before one has been ready for long
        runs: Deployment shop/keeper has 1 of 2 pods ready
      runs on some of all Nodes
        runs: DaemonSet shop/keeper has 2 of 3 pods ready
      runs on Nodes whose number is not known
        runs: DaemonSet shop/keeper has 2 pods ready
      runs where one of two programs does
        runs: StatefulSet shop/keeper has 1 of 1 pods ready
      runs by a pod of its own
        runs: Pod shop/keeper is ready
      is down where none is ready
        down: Deployment shop/keeper has no ready pod
      is down without a status in a cluster
        down: Deployment shop/keeper has no ready pod
      is down where it is scaled to 0
        down: Deployment shop/keeper is scaled to 0
      is down where its pod is not ready
        down: Pod shop/keeper is not ready
      is down where its pod waits
        down: Pod shop/keeper is not ready
      is down where its pods crash, which are named
        down: Deployment shop/keeper has no ready pod; Pod keeper-1-y is in CrashLoopBackOff
      is unread where another may look like it, and its pods that crash are named
        unread: Deployment shop/keeper has no ready pod; Pod keeper-1-y is in CrashLoopBackOff, but statefulsets.apps were not read in every namespace
      is unread where its pod's phase is
        unread: the status of Pod shop/keeper was not read
      is unread where its pod's readiness is
        unread: the status of Pod shop/keeper was not read
      is unread by its metadata alone
        unread: the status of Deployment shop/keeper was not read
      is unread where one of two is
        unread: the status of StatefulSet shop/keeper was not read
      is unread without a status in a file
        unread: the status of Deployment shop/keeper was not read
      is down by what its controller saw, in a file
        down: Deployment shop/keeper has no ready pod
      is down by its number of pods, in a file
        down: Deployment shop/keeper has no ready pod
      is down by its ready pods, in a file
        down: Deployment shop/keeper has no ready pod
      is unclear where it is one of many
        unclear: Deployment shop/keeper has 1 of 2 pods ready, but whether it is the one of this object is not known"
    `);
  });
});

describe('a program, by its Lease', () => {
  test('is known by the Lease that it renews', () => {
    const lives = livesOf(`
    runs although no pod is ready | down; lease
    is down once it does not renew it | stale
    is unclear where pods are ready then | keeper; stale
    is unread by its metadata alone | lease {facts: null}
    is missing where it never renewed it | lease {facts: {}}
    is missing where no file tells the time | stale | of: files
    runs by a Lease of its own name | down; named
    is down whatever else has one | down; far; named {name: web}
    runs by a Lease named after a finalizer | traced | finalizer: db.example.com/x
    runs in the control plane by its leader | leader | runsIn: kube-controller-manager
    `);
    expect(lives).toMatchInlineSnapshot(`
      "runs although no pod is ready
        runs: it renews Lease shop/keeper-lock-1
      is down once it does not renew it
        down: Lease shop/keeper-lock-1 was last renewed at 2026-01-31T11:00:00Z
      is unclear where pods are ready then
        unclear: Deployment shop/keeper has 1 of 2 pods ready, but Lease shop/keeper-lock-1 was last renewed at 2026-01-31T11:00:00Z
      is unread by its metadata alone
        unread: of Lease shop/keeper-lock-1 only metadata was read
      is missing where it never renewed it
        missing: no Deployment, StatefulSet, DaemonSet or Pod looks like it
      is missing where no file tells the time
        missing: no Deployment, StatefulSet, DaemonSet or Pod looks like it
      runs by a Lease of its own name
        runs: it renews Lease shop/keeper
      is down whatever else has one
        down: Deployment shop/keeper has no ready pod
      runs by a Lease named after a finalizer
        runs: it renews Lease shop/db.example.com
      runs in the control plane by its leader
        runs: it renews Lease kube-system/kube-controller-manager"
    `);
  });
});

describe('a program that nothing looks like', () => {
  test('is missing, or may run where it cannot be seen', () => {
    const lives = livesOf(`
    is missing | web; map; leader
    may run outside of the cluster | web | mayRunElsewhere: true
    may run in the control plane | web | runsIn: kube-apiserver
    may be one whose images were not read | web; other {name: db, facts: null}
    may be a Pod whose images were not read | web; pod {name: db, facts: null}
    is no Pod that a workload made | web; of-web {facts: null}
    has no images to be known by | web {facts: null} | images: []
    may be of a kind that was not read | web | unread: [daemonsets.apps, pods]
    may be another one than one that is down | down | unread: [daemonsets.apps, pods]
    has pods that a workload shows as well | down | unread: [pods]
    `);
    expect(lives).toMatchInlineSnapshot(`
      "is missing
        missing: no Deployment, StatefulSet, DaemonSet or Pod looks like it
      may run outside of the cluster
        unclear: no Deployment, StatefulSet, DaemonSet or Pod looks like it; it may run outside of the cluster, where it cannot be seen
      may run in the control plane
        unclear: no Deployment, StatefulSet, DaemonSet or Pod looks like it; it may run outside of the cluster, where it cannot be seen
      may be one whose images were not read
        unread: of workloads or pods only metadata was read
      may be a Pod whose images were not read
        unread: of workloads or pods only metadata was read
      is no Pod that a workload made
        missing: no Deployment, StatefulSet, DaemonSet or Pod looks like it
      has no images to be known by
        missing: no Deployment, StatefulSet, DaemonSet or Pod looks like it
      may be of a kind that was not read
        unread: daemonsets.apps, pods were not read in every namespace
      may be another one than one that is down
        unread: Deployment shop/keeper has no ready pod, but daemonsets.apps were not read in every namespace
      has pods that a workload shows as well
        down: Deployment shop/keeper has no ready pod"
    `);
  });
});

test('workloads that resemble a program are shown, and its Pods without a workload', () => {
  const found = (there: string) => {
    const { programs, lease } = lifeOf(there);
    return [...programs, ...(lease ? [lease] : [])].map(({ type, name }) => `${type.kind} ${name}`);
  };
  expect(found(`pod; made; keeper; web {facts: {${image('acme/keeper')}}}; map; lease`)).toEqual([
    'Deployment keeper',
    'Deployment web',
    'Pod keeper',
    'Lease keeper-lock-1',
  ]);
  expect(found('made; keeper {namespace: bank}')).toEqual(['Deployment keeper', 'Pod keeper-1-x']);
  expect(found('made; other')).toEqual(['StatefulSet keeper', 'Pod keeper-1-x']);
  expect(found('made; keeper {name: my-keeper}')).toEqual([
    'Deployment my-keeper',
    'Pod keeper-1-x',
  ]);
});

test('programs are workloads, and pods without an owner', () => {
  const all = objects('keeper; other; daemon {under: keeper}; rs; pod; made; map; lease');
  expect(all.map(isProgram)).toEqual([true, true, true, false, true, false, false, false]);
});

test('kinds of programs that were read in one namespace alone are unread', () => {
  const read = [{ resource: 'pods', namespaces: ['shop'] }, { resource: 'deployments.apps' }];
  const { coverage } = snapshotOf([], { coverage: { read } });
  expect(programKindsUnread(servedTypes, coverageIndexOf(coverage))).toEqual([
    'statefulsets.apps',
    'daemonsets.apps',
    'pods',
  ]);
});

test('whether a program runs is said with its name', () => {
  const said = (['runs', 'down', 'missing', 'unclear', 'unread'] as const).map((state) =>
    lifeInWords('Keeper', { state, because: 'b', programs: [] }),
  );
  const open = 'whether Keeper runs is not known: b';
  const missing = 'no Deployment, StatefulSet, DaemonSet or Pod looks like Keeper';
  const [runs, down] = ['Keeper runs (b)', 'Keeper does not run: b'];
  expect(said).toEqual([runs, down, missing, open, open]);
});

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Plan } from '../../src/deletion/plan/plan.ts';
import type { ObjectRecord } from '../../src/kube/object-record.ts';
import { groupResourceOf } from '../../src/kube/resource-type.ts';
import type { AuditReport } from '../../src/questions/audit/document.ts';
import type { ForecastReport } from '../../src/questions/forecast/document.ts';
import type { InvalidReferencesReport } from '../../src/questions/invalid-ownerrefs/document.ts';
import type { OrphansReport } from '../../src/questions/orphans/document.ts';
import type { OwnersReport, TreeReport } from '../../src/questions/owners/document.ts';
import type { PodGcPreview } from '../../src/questions/podgc-preview/document.ts';
import type { SimulationReport } from '../../src/questions/simulate/document.ts';
import type { StatusReport } from '../../src/questions/status/document.ts';
import type { Diagnosed, DiagnosisReport } from '../../src/questions/why/document.ts';
import type { StuckDeletionsReport } from '../../src/questions/why/stuck-document.ts';
import type { Snapshot } from '../../src/snapshot/snapshot.ts';
import { type Answers, plainIn, policyFor, previewedIn } from '../support/answers.ts';
import { askingOf } from '../support/asking.ts';
import { namespace } from '../support/blockade.ts';
import { blockades } from '../support/blockades.ts';
import { contradictionsAmong } from '../support/contradictions.ts';
import { type ControlPlane, startControlPlane } from '../support/control-plane.ts';
import { exampleDefinitions } from '../support/custom-resources.ts';
import { decodeSnapshot } from '../support/decode-snapshot.ts';
import { eventually } from '../support/eventually.ts';
import { clustersOnServers } from '../support/reported-clusters/index.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { ownershipFaults } from './ownership-faults.ts';

/** A scenario without requests: what controllers do by themselves. */
const nothing = join(temporaryFolder(), 'scenario.yaml');
writeFileSync(nothing, 'apiVersion: kubectl-gc/v1\nkind: Scenario\n');

/** The ways to be stuck, wrong references, and what was reported: all as they are put into etcd, before controllers run. */
const stuck = [...blockades, ...clustersOnServers].flatMap(({ objects }) => objects);
const uids = new Set(stuck.map(({ metadata }) => metadata.uid));
const spaces = new Set(
  [...stuck, ...ownershipFaults.objects].flatMap(
    ({ metadata }) => (metadata.namespace as string) ?? [],
  ),
);
const previews = 8;

test.each([
  ['all controllers', ['*']],
  ['all controllers but the garbage collector', ['*', '-garbage-collector-controller']],
])('commands agree about a real cluster with %s', { timeout: 900_000 }, async (_, controllers) => {
  const plane = await startControlPlane({ controllers: 'none', definitions: exampleDefinitions });
  try {
    await makeFaults(plane);
    // Nodes without kubelets are found soon, and their pods deleted.
    await plane.startControllers(controllers, [
      '--node-monitor-period=1s',
      '--node-monitor-grace-period=5s',
    ]);
    const answers = await settledAnswers(plane);
    expect(answers.deletions.length).toBeGreaterThan(20);
    expect(answers.orphans.length).toBeGreaterThan(10);
    // A simulation has all controllers run that the settings do not leave off, whatever really runs.
    const { simulated, ...others } = answers;
    const compared = controllers.length === 1 ? answers : others;
    expect(contradictionsAmong(compared)).toEqual([]);
  } finally {
    await plane.stop();
  }
});

async function makeFaults(plane: ControlPlane): Promise<void> {
  const objects = [...stuck, ...ownershipFaults.objects];
  const own = new Set(
    objects.flatMap(({ kind, metadata }) => (kind === 'Namespace' ? metadata.name : [])),
  );
  const made = [...spaces].filter((space) => !own.has(space) && space !== 'kube-system');
  await plane.putObjects([...made.map((space) => namespace(space)), ...objects]);
  await ownershipFaults.breakCluster(plane);
}

/** The answers while nothing changed: those of a cluster that changes meanwhile may differ, or be that an object is not found. */
async function settledAnswers(plane: ControlPlane): Promise<Answers> {
  let before = await settled(plane);
  for (let attempt = 1; ; attempt++) {
    const [asked] = await Promise.allSettled([answersOf(plane, before)]);
    const after = await settled(plane);
    if (asked?.status === 'fulfilled' && isSame(before, after)) return asked.value;
    if (attempt === 5) throw new Error('the cluster does not settle', { cause: asked });
    before = after;
  }
}

/** What is there once it has been the same for some seconds. */
async function settled(plane: ControlPlane): Promise<Snapshot> {
  let before = await snapshotOf(plane);
  return eventually('a cluster that does not change', async () => {
    await sleep(6_000);
    const after = await snapshotOf(plane);
    const isSettled = isSame(before, after);
    before = after;
    return isSettled && after;
  });
}

function isSame(before: Snapshot, after: Snapshot): boolean {
  return stateOf(before).sort().join('\n') === stateOf(after).sort().join('\n');
}

async function snapshotOf(plane: ControlPlane): Promise<Snapshot> {
  const { stdout } = await askingOf(plane).run('snapshot save -');
  return decodeSnapshot(JSON.parse(stdout));
}

/** What decides about an object. */
function stateOf({ records }: Snapshot): string[] {
  return records
    .filter(({ type }) => type.kind !== 'Event' && type.kind !== 'Lease')
    .map(({ uid, deletionTimestamp, finalizers, ownerReferences, facts }) =>
      JSON.stringify([
        ...[uid, deletionTimestamp, finalizers, ownerReferences, facts?.phase],
        facts?.conditions?.map(({ type, status }) => [type, status]),
      ]),
    );
}

const isMine = ({ type, namespace: space, name, uid }: ObjectRecord) =>
  type.kind === 'Namespace' ? spaces.has(name) : spaces.has(space) || uids.has(uid);

async function answersOf(plane: ControlPlane, snapshot: Snapshot): Promise<Answers> {
  const { json } = askingOf(plane);
  const mine = plainIn(snapshot).filter(
    (record) =>
      isMine(record) && record.namespace !== 'kube-system' && record.type.kind !== 'Event',
  );
  const diagnosed = new Map<string, Diagnosed>();
  const nodes = new Map<string, Answers['nodes'][number]>();
  const owners = new Map<string, Answers['owners'][number]>();
  for (const [space, records] of Map.groupBy(mine, ({ namespace: one }) => one)) {
    const where = space === '' ? '' : ` -n ${space}`;
    const asked = `${records.map(addressOf).join(' ')}${where}`;
    const { items } = await json<DiagnosisReport>(`why ${asked}`);
    for (const item of items) diagnosed.set(item.object.uid, item);
    for (const node of (await json<TreeReport>(`tree ${asked}`)).nodes) nodes.set(node.uid, node);
    const above = await json<OwnersReport>(`owners ${asked}`);
    for (const node of above.nodes) owners.set(node.uid, node);
  }
  const deletions = (await json<StuckDeletionsReport>('why -A')).items;
  const planned: Answers['previews'][number][] = [];
  for (const target of previewedIn(mine, previews)) {
    const cascade = policyFor(target).toLowerCase();
    const where = target.namespace === '' ? '' : ` -n ${target.namespace}`;
    const line = `delete ${addressOf(target)}${where} --cascade=${cascade} --preview`;
    planned.push({ target, objects: (await json<Plan>(line)).objects });
  }
  return {
    snapshot,
    now: Date.parse(snapshot.observedAt),
    orphans: (await json<OrphansReport>('orphans -A --unmanaged')).items,
    references: (await json<InvalidReferencesReport>('invalid-ownerrefs -A')).items,
    findings: (await json<AuditReport>('audit -A --no-config')).items,
    forecast: await json<ForecastReport>('forecast -A --within 1h'),
    deletions,
    previews: planned,
    nodes: [...nodes.values()],
    owners: [...owners.values()],
    simulated: await json<SimulationReport>(`simulate --scenario ${nothing}`),
    deletedPods: (await json<PodGcPreview>('podgc-preview')).items,
    status: await json<StatusReport>('status'),
    why: ({ uid }) => diagnosed.get(uid),
  };
}

function addressOf({ type, name }: ObjectRecord): string {
  return `${groupResourceOf(type)}/${name}`;
}

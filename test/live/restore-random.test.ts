import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import { type ControlPlane, startControlPlane } from '../support/control-plane.ts';
import { gc } from '../support/run-gc.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { restoreBackup } from './restored-backup.ts';
import { type Random, randomFrom } from './seeded-random.ts';
import { type Agents, startAgents } from './upper-bound-agents.ts';
import {
  definitionFor,
  plant,
  plantedDefinitions,
  type TargetKind,
  typeNamed,
} from './upper-bound-clusters.ts';
import { type Seen, type WatchedCluster, watchCluster } from './watched-cluster.ts';
import { type Dump, differences, dumpOf } from './zoo/zoo-oracle.ts';

/**
 * Random clusters lose a random object with what follows, and get it back: after quiet the same objects are there, field by
 * field, but what docs/evidence/reliability.md names. RESTORE_SEED, RESTORE_RANDOM_CASES and RESTORE_LANES repeat a run.
 */
const seed = Number(process.env.RESTORE_SEED ?? 7001);
const count = Number(process.env.RESTORE_RANDOM_CASES ?? 8);
const lanes = Number(process.env.RESTORE_LANES ?? 4);
const quiet = 1_500;
const seeds = Array.from({ length: count }, (_, index) => seed + index);
const targets: readonly TargetKind[] = [
  ...(['root', 'root', 'root', 'any', 'Namespace', 'Namespace', 'StatefulSet'] as const),
  ...(['PersistentVolumeClaim', 'ServiceAccount', 'Service', 'CustomResourceDefinition'] as const),
];

let plane: ControlPlane;
let world: WatchedCluster;
let agents: Agents;
const folder = temporaryFolder();

beforeAll(async () => {
  const own = seeds.flatMap((one) =>
    drawn(one).wanted === 'CustomResourceDefinition' ? definitionFor(`upper-${one}`) : [],
  );
  plane = await startControlPlane({
    controllers: ['*', 'bootstrap-signer-controller', 'token-cleaner-controller'],
    controllerArgs: ['--pvclaimbinder-sync-period=2s', '--concurrent-namespace-syncs=20'],
    definitions: [...plantedDefinitions, ...own],
  });
  agents = startAgents(plane, () => world, randomFrom(seed));
  world = await watchCluster(plane, (object, isGone) => agents.see(object, isGone));
});
afterAll(async () => {
  world?.stop();
  await agents?.idle();
  await plane?.stop();
});

function drawn(one: number): { readonly wanted: TargetKind; readonly random: Random } {
  const random = randomFrom(one);
  // The first numbers of neighbouring seeds are alike.
  for (let skip = 0; skip < 5; skip++) random(2);
  return { wanted: targets[random(targets.length)] ?? 'root', random };
}

const there = (line: string) => gc(line, { env: { KUBECONFIG: plane.kubeconfigPath } });

/** Undefined where the target hangs, so that its namespace takes nothing; else what is wrong. */
async function play(one: number): Promise<readonly string[] | undefined> {
  const { wanted, random } = drawn(one);
  const name = `upper-${one}`;
  const { planted } = await plant(plane, name, wanted, random);
  const before = await world.still(name, quiet);
  const was = await dumpOf(plane, [name], (text) => text.includes(name));
  const target = chosen(wanted, planted, before, random);
  const { group, version, resource } = typeNamed(target.kind);
  const type = group === '' ? resource : `${resource}.${version}.${group}`;
  const backup = join(folder, name);
  const line = `delete ${type}/${target.name} -n ${name} --cascade=${['background', 'foreground'][random(2)]}`;
  agents.awaitDeletion(name, before);
  await there(`${line} --yes --backup ${backup} --timeout 40s`);
  const after = await world.still(name, quiet);
  const left = new Set(after.map(({ uid }) => uid));
  const isHeld = after.some(({ isTerminating }) => isTerminating);
  if (isHeld || !existsSync(join(backup, 'backup.json'))) return undefined;
  const { faults } = await restoreBackup(backup, (uid) => !left.has(uid), there);
  await world.still(name, quiet);
  const is = await dumpOf(plane, [name], (text) => text.includes(name));
  const wrong = differences(was, is).filter((text) => !isByDesign(text, was));
  return [...faults, ...wrong].map((text) => `${one}: ${line}: ${text}`);
}

function chosen(
  wanted: TargetKind,
  planted: readonly { kind: string; name: string; hasOwner: boolean }[],
  before: readonly Seen[],
  random: Random,
): { readonly kind: string; readonly name: string } {
  const named = before.filter(({ kind, name }) => kind === wanted && name !== 'default');
  const roots = planted.filter(({ hasOwner }) => !hasOwner || wanted === 'any');
  const all = named.length > 0 ? named.toSorted((a, b) => (a.name < b.name ? -1 : 1)) : roots;
  return all[random(all.length)] ?? planted[0] ?? { kind: 'Namespace', name: '' };
}

/** By the objects as they were, not by what `restore` says of them. */
function isByDesign(text: string, was: Dump): boolean {
  const [, word, key = ''] = /^(missing |new )?([^ ]+ [^ ]+)/.exec(text) ?? [];
  const object = was.get(key)?.content;
  if (word === 'new ' || !object) return false;
  if (object.metadata.deletionTimestamp !== undefined) return true;
  // A reference to a volume that cannot come back leads nowhere.
  const ofVolume = JSON.stringify(object.metadata.ownerReferences).includes('PersistentVolume /');
  if (ofVolume && /\.metadata\.(ownerReferences|managedFields)/.test(text)) return true;
  if (object.kind === 'PersistentVolumeClaim') {
    // It names its volume from the beginning, so no controller has chosen it.
    if (text.endsWith('pv.kubernetes.io/bound-by-controller')) return true;
    const volume = was.get(`PersistentVolume /${Object(object.spec).volumeName}`)?.content;
    if (volume && losesStorage(volume)) return true;
    return text.includes('.metadata.managedFields');
  }
  return object.kind === 'PersistentVolume' && losesStorage(object);
}

/** What was behind it was deleted with it. */
function losesStorage({ spec }: KubeObject): boolean {
  return Object(spec).persistentVolumeReclaimPolicy === 'Delete';
}

test(`random clusters are restored as they were, seed ${seed}`, {
  timeout: 120_000 + count * 20_000,
}, async () => {
  const wrong: string[] = [];
  let restored = 0;
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      for (let next = seeds.shift(); next !== undefined; next = seeds.shift()) {
        const faults = await play(next).catch((error) => [`${next}: ${error}`]);
        if (faults === undefined) continue;
        restored += 1;
        for (const fault of faults) console.log(fault);
        wrong.push(...faults);
      }
    }),
  );
  console.log(
    `random restorations: seed ${seed}: ${restored} of ${count} restored, ${wrong.length} differences`,
  );
  expect(wrong).toEqual([]);
  expect(restored).toBeGreaterThan(count / 2);
});

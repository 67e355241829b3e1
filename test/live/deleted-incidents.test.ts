import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Removal } from '../../src/history/deletions/removal.ts';
import { customDefinition } from '../support/custom-resources.ts';
import { freshSeed } from '../support/fresh-seed.ts';
import { gcHere } from '../support/run-here.ts';
import { helmRelease } from './deleted-helm.ts';
import { type Doomed, podSpec, reference, type Scene, sceneOf, workload } from './deleted-scene.ts';
import {
  type Actor,
  type Stage,
  startControllersAsThemselves,
  startStage,
  userOf,
} from './deleted-stage.ts';
import { randomFrom } from './seeded-random.ts';

/**
 * Incidents of five deletions each, by several people and controllers within seconds, chosen by chance. Of every object that
 * does not exist any more, the true beginning is known: who sent the request, or which controller decided by its own rule.
 */
const incidents = 20;
const seed = freshSeed;
const ttl = 'ttl-after-finished-controller';
const people = ['alice', 'bob', 'carol', 'dana', 'deployer'] as const;

/** An object, and who or which controller begins its deletion. */
interface Doom {
  readonly object: Doomed;
  readonly by: string;
}

interface Play {
  readonly dooms: readonly Doom[];
  begin(): Promise<unknown>;
}

type Prepare = (scene: Scene, actor: Actor, at: number) => Promise<Play>;

async function deployment(scene: Scene, at: number, replicas: number) {
  const labels = { app: `app-${at}` };
  const { spec } = workload(replicas);
  const template = { ...spec.template, metadata: { labels } };
  await scene.make(`Deployment app-${at}`, {
    spec: { ...spec, selector: { matchLabels: labels }, template },
  });
  const isOwn = (one: { metadata: { name: string } }) => one.metadata.name.startsWith(`app-${at}-`);
  const [set] = await scene.all('ReplicaSet', 1, isOwn);
  const pods = await scene.all('Pod', replicas, isOwn);
  if (!set) throw new Error('no ReplicaSet');
  return { web: await scene.doomed(`Deployment app-${at}`), set, pods };
}

const cascade =
  (line: string): Prepare =>
  async (scene, actor, at) => {
    const { web, set, pods } = await deployment(scene, at, 2);
    const dooms = [web, set, ...pods].map((object) => ({ object, by: userOf(actor) }));
    return { dooms, begin: () => scene.kubectl(actor, `delete deployment app-${at} ${line}`) };
  };

const scaling =
  (subresource: string, given?: Actor): Prepare =>
  async (scene, actor, at) => {
    const { web, pods } = await deployment(scene, at, 2);
    const by = given ?? actor;
    return {
      dooms: pods.map((object) => ({ object, by: userOf(by) })),
      begin: () => scene.send(by, 'PATCH', `${web.path}${subresource}`, { spec: { replicas: 0 } }),
    };
  };

const actions: Readonly<Record<string, Prepare>> = {
  'kubectl delete': cascade('--wait=false'),
  'kubectl delete, foreground': cascade('--wait=false --cascade=foreground'),
  'scale-down by HPA': scaling('/scale', 'autoscaler'),
  'scale-down': scaling(''),
  rollout: async (scene, actor, at) => {
    const { web, pods } = await deployment(scene, at, 1);
    const change = { spec: { strategy: { type: 'Recreate', rollingUpdate: null } } };
    await scene.send('admin', 'PATCH', web.path, change);
    return {
      dooms: pods.map((object) => ({ object, by: userOf(actor) })),
      begin: () => scene.kubectl(actor, `set image deployment/app-${at} main=example.com/web:2`),
    };
  },
  'Job after its time to live': async (scene, _, at) => {
    const template = { spec: podSpec({ restartPolicy: 'Never' }) };
    await scene.make(`Job job-${at}`, { spec: { template, ttlSecondsAfterFinished: 1 } });
    const [pod] = await scene.all('Pod', 1, ({ metadata }) =>
      metadata.name.startsWith(`job-${at}-`),
    );
    if (!pod) throw new Error('no Pod');
    const objects = [await scene.doomed(`Job job-${at}`), pod];
    return {
      dooms: objects.map((object) => ({ object, by: ttl })),
      begin: () => {
        const status = { phase: 'Succeeded' };
        return scene.send('system:node:worker-1', 'PATCH', `${pod.path}/status`, { status });
      },
    };
  },
  eviction: async (scene, _, at) => {
    await scene.make(`Pod single-${at}`, { spec: podSpec() });
    const object = await scene.doomed(`Pod single-${at}`);
    const body = {
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: { name: object.name, namespace: scene.namespace },
    };
    return {
      dooms: [{ object, by: userOf('drainer') }],
      begin: () => scene.send('drainer', 'POST', `${object.path}/eviction`, body),
    };
  },
  'kubectl replace --force': async (scene, actor, at) => {
    const text = `ConfigMap replaced-${at}`;
    await scene.make(text, { data: { a: '1' } });
    const object = await scene.doomed(text);
    const metadata = { name: object.name, namespace: scene.namespace };
    const again = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { a: '2' } };
    return {
      dooms: [{ object, by: userOf(actor) }],
      begin: () => scene.kubectl(actor, 'replace --force -f -', JSON.stringify(again)),
    };
  },
  'helm uninstall': async (scene, actor, at) => {
    const { settings, release, uninstall } = await helmRelease(scene, actor, `release-${at}`);
    return {
      dooms: [settings, release].map((object) => ({ object, by: userOf(actor) })),
      begin: uninstall,
    };
  },
  impersonation: async (scene, _, at) => {
    await scene.make(`Secret held-${at}`);
    const owner = await scene.doomed(`Secret held-${at}`);
    const ownerReferences = [reference('Secret', owner)];
    await scene.make(`ConfigMap holder-${at}`, { metadata: { ownerReferences } });
    const objects = [owner, await scene.doomed(`ConfigMap holder-${at}`)];
    return {
      dooms: objects.map((object) => ({ object, by: 'dana' })),
      begin: () => scene.kubectl('dana', `delete secret held-${at} --as=erin --as-group=staff`),
    };
  },
  'delete of a collection': async (scene, actor, at) => {
    const labels = { group: `group-${at}` };
    for (const name of ['a', 'b']) {
      await scene.make(`ConfigMap ${name}-${at}`, { metadata: { labels } });
    }
    const objects = [
      await scene.doomed(`ConfigMap a-${at}`),
      await scene.doomed(`ConfigMap b-${at}`),
    ];
    const path = `${objects[0]?.path.replace(/\/[^/]*$/, '')}?labelSelector=group%3Dgroup-${at}`;
    return {
      dooms: objects.map((object) => ({ object, by: userOf(actor) })),
      begin: () => scene.send(actor, 'DELETE', path),
    };
  },
};

const definition = customDefinition('Relic', 'incident.example.com', { versions: ['v1'] });
let stage: Stage;
let dooms: readonly Doom[] = [];
const earlier = () => join(stage.folder, 'before.json.gz');
const later = () => join(stage.folder, 'after.json.gz');

beforeAll(async () => {
  stage = await startStage({ level: 'Metadata', usesServiceAccounts: true }, [definition]);
  await startControllersAsThemselves(stage, ['*'], ['--node-monitor-grace-period=30m']);
  const random = randomFrom(seed);
  const names = Object.keys(actions);
  const plays: Play[] = [];
  for (let number = 0; number < incidents; number++) {
    await stage.plane.make(`Namespace incident-${number}`);
    const scene = sceneOf(stage, `incident-${number}`);
    for (let at = 0; at < 5; at++) {
      const prepare = actions[names[random(names.length)] ?? ''];
      if (prepare) plays.push(await prepare(scene, people[random(people.length)] ?? 'alice', at));
    }
  }
  plays.push(await namespaceWithObjects(), await definitionWithInstances());
  await stage.saveSnapshot(earlier());
  // By chance which begins when; some at the same moment.
  const order = plays.map((play) => ({ play, at: random(20_000) }));
  await Promise.all(
    order.map(async ({ play, at }) => {
      await new Promise((resolve) => setTimeout(resolve, at));
      await play.begin();
    }),
  );
  dooms = plays.flatMap((play) => play.dooms);
  await sceneOf(stage, 'incident-0').gone(...dooms.map(({ object }) => object));
  await stage.saveSnapshot(later());
  await stage.plane.stop();
}, 900_000);
afterAll(() => stage.stop());

async function namespaceWithObjects(): Promise<Play> {
  await stage.plane.make('Namespace doomed');
  const scene = sceneOf(stage, 'doomed');
  await scene.make('Secret token');
  await scene.make('ConfigMap settings');
  const { web, set, pods } = await deployment(scene, 0, 2);
  const objects = [
    await scene.doomed('Secret token'),
    await scene.doomed('ConfigMap settings'),
    ...[web, set, ...pods],
  ];
  return {
    dooms: objects.map((object) => ({ object, by: 'bob' })),
    begin: () => scene.kubectl('bob', 'delete namespace doomed --wait=false'),
  };
}

async function definitionWithInstances(): Promise<Play> {
  await stage.plane.make('Namespace relics');
  const scene = sceneOf(stage, 'relics');
  const base = '/apis/incident.example.com/v1/namespaces/relics/relics';
  const group = { group: 'incident.example.com', resource: 'relics', kind: 'Relic' };
  const objects: Doomed[] = [];
  for (const name of ['one', 'two']) {
    const made = await stage.plane.create<{ metadata: { uid: string } }>(base, {
      apiVersion: 'incident.example.com/v1',
      kind: 'Relic',
      metadata: { name },
    });
    const { uid } = made.metadata;
    objects.push({ ...group, namespace: 'relics', name, path: `${base}/${name}`, uid });
  }
  return {
    dooms: objects.map((object) => ({ object, by: 'carol' })),
    begin: () => scene.kubectl('carol', 'delete crd relics.incident.example.com --wait=false'),
  };
}

test.each([
  ['snapshots around it', () => ` --before ${earlier()} --after ${later()}`, 0.8],
  ['a snapshot from before', () => ` --before ${earlier()}`, 0.8],
  ['no snapshot', () => '', 0.2],
])('with %s, no deletion is given a wrong beginning', async (what, snapshots, share) => {
  const wrong: string[] = [];
  const guesses: string[] = [];
  let isTrue = 0;
  for (const { object, by } of dooms) {
    const removal = await removalOf(object, snapshots());
    const last = removal?.links.at(-1);
    if (!removal || !last || last.cause === 'unknown') continue;
    const isRight = last.controller === by || last.requester?.user === by;
    const isGuess = removal.links.some(({ certainty }) => certainty === 'might be');
    const who = last.controller ?? last.requester?.user;
    if (isRight) isTrue++;
    else (isGuess ? guesses : wrong).push(`${object.path}: ${who}, and not ${by}`);
  }
  const words = `${isTrue} of ${dooms.length} true, ${guesses.length} wrongly guessed, seed ${seed}`;
  if (process.env.INCIDENT_LOG) console.log(`${what}: ${words}`, guesses);
  expect(wrong, words).toEqual([]);
  if (what === 'snapshots around it') expect(guesses, words).toEqual([]);
  expect(isTrue / dooms.length, words).toBeGreaterThan(share);
});

async function removalOf(object: Doomed, snapshots: string): Promise<Removal | undefined> {
  const { resource, group, name, namespace } = object;
  const type = group === '' ? resource : `${resource}.${group}`;
  const sources = `--audit-log ${stage.auditPath}${snapshots}`;
  const run = await gcHere(`deleted ${type}/${name} -n ${namespace} ${sources} -o json`);
  if (run.stdout === '') return undefined;
  return (JSON.parse(run.stdout) as { readonly removal: Removal }).removal;
}

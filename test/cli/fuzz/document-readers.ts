import { cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ruleIds } from '../../../src/audit/audit.ts';
import { parseConfig } from '../../../src/audit/audit-config.ts';
import { parseBaseline } from '../../../src/audit/baseline.ts';
import { resolveConnection } from '../../../src/cluster/connection/connection-settings.ts';
import { expandPaths } from '../../../src/commands/delete/targets/load-source.ts';
import {
  loadManifests,
  targetsOfFiles,
} from '../../../src/commands/delete/targets/targets-of-files.ts';
import type { Plan } from '../../../src/deletion/plan/plan.ts';
import { planDifference } from '../../../src/deletion/plan/plan-difference.ts';
import { unreadOf } from '../../../src/deletion/plan/plan-totals.ts';
import { readPlan, sealPlan } from '../../../src/deletion/saved-plan.ts';
import { fromFiles } from '../../../src/files/from-files.ts';
import { readWhole } from '../../../src/files/input-bytes.ts';
import { readKuberc } from '../../../src/files/kuberc.ts';
import { fromNodeFiles } from '../../../src/files/nodes/from-node-files.ts';
import { jsonOf } from '../../../src/kube/json-value.ts';
import { plan } from '../../../src/library/questions.ts';
import { render } from '../../../src/questions/render.ts';
import { parseScenario } from '../../../src/questions/simulate/scenario.ts';
import { sealBackup, sha256Of } from '../../../src/restore/backup/backup.ts';
import { listBackups } from '../../../src/restore/backup/list-backups.ts';
import { managersFile } from '../../../src/restore/backup/object-file.ts';
import { readBackup } from '../../../src/restore/backup/read-backup.ts';
import { writeBackup } from '../../../src/restore/backup/write-backup.ts';
import { defaultSimulationSettings } from '../../../src/settings/controller-settings.ts';
import { readDocument } from '../../../src/shell/input/read-document.ts';
import { settingsOfFiles } from '../../../src/shell/settings/settings-of-files.ts';
import { simulate } from '../../../src/simulator/simulate.ts';
import { fakeClient } from '../../cluster/fake-client.ts';
import { kube, ownedBy, plan as planOf } from '../../restore/saved.ts';
import { servedTypes } from '../../support/builders.ts';
import { baseline, config, kubeconfigOf, kubelet, kuberc, scenario } from './example-documents.ts';
import { type Ending, type Reader, readerOf } from './reader.ts';

const root = new URL('../../../', import.meta.url);
const pathOf = (name: string) => new URL(name, root).pathname;
const example = (name: string) => readFileSync(pathOf(name));
const json = (value: unknown) => Buffer.from(JSON.stringify(value));

const look = { colour: false, width: 80, now: Date.parse('2026-02-01T00:00:00Z') };

const managers = [{ manager: 'kubectl', operation: 'Update', apiVersion: 'v1', fieldsV1: {} }];

/** A backup of two objects with what the files say of them. */
async function sampleBackup(folder: string): Promise<string> {
  const directory = join(folder, 'backup');
  const path = '/api/v1/namespaces/shop/configmaps';
  const objects = [
    kube('v1 ConfigMap app', { managedFields: managers }, { data: { on: 'off', a: '1' } }),
    kube('v1 ConfigMap part', { ...ownedBy('v1 ConfigMap app'), finalizers: ['example.com/x'] }),
  ];
  const client = fakeClient({
    [`${path}/app`]: { body: objects[0] ?? {} },
    [`${path}/part`]: { body: objects[1] ?? {} },
  });
  const planned: Plan = {
    apiVersion: 'kubectl-gc/v1',
    kind: 'Plan',
    cluster: { server: 'https://api.example.com:6443', uid: 'uid-kube-system' },
    createdAt: '2026-01-31T12:00:00Z',
    requests: [],
    objects: ['app', 'part', 'gone'].map((name) => ({
      ...{ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name, uid: `uid-${name}` },
      ...{ wave: 1, fate: 'deleted' as const, because: '', rule: '', blockedBy: [] },
    })),
    remarks: [],
    undetermined: [],
    coverage: { complete: true, kinds: 1, objects: 2, problems: [] },
  };
  await writeBackup(planned, client, servedTypes, { directory });
  return directory;
}

/** A message about a setting begins with it. */
const nameOfSetting = /^settings|^\S+ (is|must|cannot|would) |is not known here; known are /;

/** Puts a digest on a document that was changed, as one who edits it knowingly would. */
function sealed(seal: (value: never) => object): (bytes: Buffer) => Buffer {
  return (bytes) => {
    try {
      const { digest: _, ...rest } = jsonOf(JSON.parse(bytes.toString())) ?? {};
      return json(seal(rest as never));
    } catch {
      return bytes;
    }
  };
}

/** All readers of what users and this program write besides objects of a cluster; `home` holds what they need. */
export async function documentReaders(home: string): Promise<readonly Reader[]> {
  const folder = mkdtempSync(join(home, 'readers-'));
  const backup = await sampleBackup(folder);
  const inBackup = (name: string) => readFileSync(join(backup, name));
  const objectFile = 'objects/shop/configmaps/app.yaml';
  const shop = await fromFiles([pathOf('docs/part-of-a-cluster.yaml')], { now: () => new Date(0) });
  const web = shop.records.find(({ type }) => type.kind === 'Deployment');
  const { namespace = '', name = '' } = web ?? {};
  const planned = plan(shop, [{ apiVersion: 'apps/v1', kind: 'Deployment', namespace, name }]);
  const sealedPlan = json(sealPlan(planned));
  const settingsTexts = ['kube-controller-manager', 'settings', 'kubelet'].map((file) =>
    example(`examples/settings/${file}.yaml`),
  );
  const readSavedPlan = async (path: string) => {
    const text = (await readWhole(path)).toString();
    const saved = readPlan(text, path);
    await render(saved, 'table', look);
    planDifference(saved, planned);
    unreadOf(saved);
    for (const { message } of saved.coverage.problems) String(message);
    return 'whole' as const;
  };
  const readSettings = (as: 'settings' | 'kubelet' | 'from') => async (path: string) => {
    const { facts } = await settingsOfFiles({ [as]: as === 'from' ? [path] : path });
    return endingOf(facts.problems);
  };
  /** A backup with one of its files changed. */
  const inCopy = (name: string, use: (copy: string) => Promise<unknown>): Reader['read'] => {
    const copy = join(mkdtempSync(join(folder, 'copy-')), 'backup');
    cpSync(backup, copy, { recursive: true });
    return async (path) => {
      writeFileSync(join(copy, name), readFileSync(path));
      await use(copy);
      return 'whole';
    };
  };
  /** What would be restored in a cluster that has none of it. */
  const restored = (acceptEdited: boolean) => async (copy: string) =>
    planOf((await readBackup(copy, { acceptEdited })).saved);
  const ofSetting = { names: nameOfSetting };
  const ofBackup = { names: /backup/ };
  const index = [inBackup('backup.json')];
  const nodes = ['examples/nodes/worker-1.txt', 'examples/nodes/worker-2.txt'].map(example);
  const manifests = ['shop', 'platform', 'tenant'].map((name) =>
    example(`examples/shop/${name}.yaml`),
  );
  return [
    readerOf(
      'a scenario | json | scenario.yaml',
      [json(scenario)],
      async (path) => {
        const given = parseScenario(await readDocument(path, 'scenario'));
        const { requests, settings = defaultSimulationSettings, start, duration = 0 } = given;
        const options = { now: 0, ...(start && { start }), duration: Math.min(duration, 60_000) };
        simulate(shop, requests, settings, options);
      },
      { names: /^the scenario cannot be played: |^settings|"settings|^requests\[\d/ },
    ),
    readerOf('settings | text | settings.yaml', settingsTexts, readSettings('settings'), ofSetting),
    readerOf(
      'settings of a cluster | text | settings.yaml',
      settingsTexts,
      readSettings('from'),
      ofSetting,
    ),
    readerOf(
      'a KubeletConfiguration | json | kubelet.yaml',
      [json(kubelet), json({ kubeletconfig: kubelet })],
      readSettings('kubelet'),
      ofSetting,
    ),
    readerOf(
      'a configuration of audit | json | .kubectl-gc.yaml',
      [json(config)],
      async (path) => void parseConfig(await readDocument(path, 'configuration'), ruleIds),
      { names: /^the configuration is wrong: |^audit\./ },
    ),
    readerOf('a baseline | json | baseline.json', [json(baseline)], async (path) => {
      parseBaseline(await readDocument(path, 'baseline'), path);
    }),
    readerOf('a plan, same digest | json | plan.json', [sealedPlan], readSavedPlan, {
      mustTell: (given, bytes) => {
        try {
          const changed = JSON.stringify(JSON.parse(bytes.toString()));
          return changed !== given.toString() && !isSame(given, bytes);
        } catch {
          return true;
        }
      },
    }),
    readerOf('a plan, new digest | json | plan.json', [sealedPlan], readSavedPlan, {
      finish: sealed(sealPlan as (value: never) => object),
    }),
    readerOf(
      'a backup index, same digest | json | backup.json',
      index,
      inCopy('backup.json', (copy) =>
        Promise.all([readBackup(copy, { acceptEdited: true }), listBackups(dirname(copy))]),
      ),
      ofBackup,
    ),
    readerOf(
      'a backup index, new digest | json | backup.json',
      index,
      inCopy('backup.json', restored(false)),
      { ...ofBackup, finish: sealed(sealBackup) },
    ),
    readerOf(
      'a saved object | text | app.yaml',
      [inBackup(objectFile)],
      inCopy(objectFile, restored(true)),
      ofBackup,
    ),
    readerOf(
      'saved field managers, same digest | json | managers.json',
      [json(managers)],
      inCopy(managersFile(objectFile), async (copy) => {
        const index = JSON.parse(inBackup('backup.json').toString());
        index.objects[0].managers = sha256Of(readFileSync(join(copy, managersFile(objectFile))));
        writeFileSync(join(copy, 'backup.json'), json(index));
        await readBackup(copy, { acceptEdited: true });
      }),
      ofBackup,
    ),
    readerOf(
      'a kubeconfig | json | config',
      ['me', 'exec', 'oidc'].map((user) => json(kubeconfigOf(user))),
      async (path) => {
        const environment = { env: {}, cwd: folder, serviceAccountDirectory: folder };
        await resolveConnection({ kubeconfig: path }, { ...environment, stdinIsTerminal: false });
      },
      { names: /kubeconfig|context|cluster|user|server|namespace|certificate|proxy|exec|auth/i },
    ),
    readerOf('a kuberc | json | kuberc', [json(kuberc)], async (path) => {
      await readKuberc({ env: { KUBERC: path }, cwd: '/' }, () => undefined);
    }),
    readerOf('saved node output | text | worker.txt', nodes, async (path) =>
      endingOf((await fromNodeFiles([path])).flatMap(({ problems }) => problems)),
    ),
    readerOf('manifests that delete -f names | text | x.yaml', manifests, async (path) => {
      const named = await loadManifests(await expandPaths([path], false));
      const scope = { namespace: 'shop', explicit: false };
      return endingOf(targetsOfFiles(named, servedTypes, scope, 'a=b').failures);
    }),
  ];
}

const endingOf = (problems: readonly unknown[]): Ending =>
  problems.length === 0 ? 'whole' : 'incomplete';

/** Two texts of one document. */
function isSame(one: Buffer, other: Buffer): boolean {
  const sorted = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(sorted);
    const fields = jsonOf(value);
    if (!fields) return value;
    return Object.keys(fields)
      .sort()
      .map((key) => [key, sorted(fields[key])]);
  };
  const text = (bytes: Buffer) => JSON.stringify(sorted(JSON.parse(bytes.toString())));
  return text(one) === text(other);
}

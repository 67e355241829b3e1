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
import { defaultSimulationSettings } from '../../../src/controllers/settings/controller-settings.ts';
import type { Plan } from '../../../src/deletion/plan/plan.ts';
import { planDifference } from '../../../src/deletion/plan/plan-difference.ts';
import { unreadOf } from '../../../src/deletion/plan/unread-content.ts';
import { readPlan, sealPlan } from '../../../src/deletion/saved-plan.ts';
import { readWhole } from '../../../src/files/file-bytes.ts';
import { fromFiles } from '../../../src/files/from-files.ts';
import { readKuberc } from '../../../src/files/kuberc.ts';
import { fromNodeFiles } from '../../../src/files/nodes/from-node-files.ts';
import { jsonOf } from '../../../src/kube/json-value.ts';
import { plan } from '../../../src/library/questions.ts';
import { render } from '../../../src/output/render.ts';
import { sealBackup, sha256Of } from '../../../src/restore/backup/backup.ts';
import { listBackups } from '../../../src/restore/backup/list-backups.ts';
import { managersFile } from '../../../src/restore/backup/object-file.ts';
import { readBackup } from '../../../src/restore/backup/read-backup.ts';
import { writeBackup } from '../../../src/restore/backup/write-backup.ts';
import { readDocument } from '../../../src/shell/input/read-document.ts';
import { settingsOfFiles } from '../../../src/shell/settings/settings-of-files.ts';
import { parseScenario } from '../../../src/simulator/scenario.ts';
import { simulate } from '../../../src/simulator/simulate.ts';
import { fakeClient } from '../../cluster/fake-client.ts';
import { kube, ownedBy, plan as planOf } from '../../restore/saved.ts';
import { servedTypes } from '../../support/builders.ts';
import { baseline, config, kubeconfigOf, kubelet, kuberc, scenario } from './example-documents.ts';
import type { Reader } from './reader.ts';

const root = new URL('../../../', import.meta.url);
const pathOf = (name: string) => new URL(name, root).pathname;
const example = (name: string) => readFileSync(pathOf(name));
const json = (value: unknown) => Buffer.from(JSON.stringify(value));

const look = { colour: false, width: 80, now: Date.parse('2026-02-01T00:00:00Z') };

/** A backup of two objects with what the files say of them. */
async function sampleBackup(folder: string): Promise<string> {
  const directory = join(folder, 'backup');
  const path = '/api/v1/namespaces/shop/configmaps';
  const managedFields = [
    { manager: 'kubectl', operation: 'Update', apiVersion: 'v1', fieldsV1: {} },
  ];
  const objects = [
    kube('v1 ConfigMap app', { managedFields }, { data: { on: 'off', a: '1' } }),
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

/** What would be restored in a cluster that has none of it. */
function plannedRestore({ saved }: Awaited<ReturnType<typeof readBackup>>): void {
  planOf(saved);
}

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
  const planned = plan(shop, [
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      namespace: web?.namespace ?? '',
      name: web?.name ?? '',
    },
  ]);
  const sealedPlan = json(sealPlan(planned));
  const settingsTexts = [
    example('examples/settings/kube-controller-manager.yaml'),
    example('examples/settings/settings.yaml'),
    example('examples/settings/kubelet.yaml'),
  ];
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
    return facts.problems.length === 0 ? ('whole' as const) : ('incomplete' as const);
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
  return [
    {
      name: 'a scenario',
      syntax: 'json',
      file: 'scenario.yaml',
      examples: [json(scenario)],
      names: /^the scenario cannot be played: |^settings|"settings|^requests\[\d/,
      read: async (path) => {
        const {
          requests,
          settings: given,
          start,
          duration,
        } = parseScenario(await readDocument(path, 'scenario'));
        simulate(shop, requests, given ?? defaultSimulationSettings, {
          now: 0,
          ...(start && { start }),
          duration: Math.min(duration ?? 0, 60_000),
        });
        return 'whole';
      },
    },
    {
      name: 'settings',
      syntax: 'text',
      file: 'settings.yaml',
      examples: settingsTexts,
      names: nameOfSetting,
      read: readSettings('settings'),
    },
    {
      name: 'settings of a cluster',
      syntax: 'text',
      file: 'settings.yaml',
      examples: settingsTexts,
      names: nameOfSetting,
      read: readSettings('from'),
    },
    {
      name: 'a KubeletConfiguration',
      syntax: 'json',
      file: 'kubelet.yaml',
      examples: [json(kubelet), json({ kubeletconfig: kubelet })],
      names: nameOfSetting,
      read: readSettings('kubelet'),
    },
    {
      name: 'a configuration of audit',
      syntax: 'json',
      file: '.kubectl-gc.yaml',
      examples: [json(config)],
      names: /^the configuration is wrong: |^audit\./,
      read: async (path) => {
        parseConfig(await readDocument(path, 'configuration'), ruleIds);
        return 'whole';
      },
    },
    {
      name: 'a baseline',
      syntax: 'json',
      file: 'baseline.json',
      examples: [json(baseline)],
      read: async (path) => {
        parseBaseline(await readDocument(path, 'baseline'), path);
        return 'whole';
      },
    },
    {
      name: 'a plan, its digest as it was',
      syntax: 'json',
      file: 'plan.json',
      examples: [sealedPlan],
      read: readSavedPlan,
      mustTell: (given, bytes) => {
        try {
          const changed = JSON.stringify(JSON.parse(bytes.toString()));
          return changed !== given.toString() && !isSame(given, bytes);
        } catch {
          return true;
        }
      },
    },
    {
      name: 'a plan with a correct digest',
      syntax: 'json',
      file: 'plan.json',
      examples: [sealedPlan],
      finish: sealed(sealPlan as (value: never) => object),
      read: readSavedPlan,
    },
    {
      name: 'the index of a backup',
      syntax: 'json',
      file: 'backup.json',
      examples: [inBackup('backup.json')],
      names: /backup/,
      read: inCopy('backup.json', (copy) =>
        Promise.all([readBackup(copy, { acceptEdited: true }), listBackups(dirname(copy))]),
      ),
    },
    {
      name: 'the index of a backup, with a correct digest',
      syntax: 'json',
      file: 'backup.json',
      examples: [inBackup('backup.json')],
      names: /backup/,
      finish: sealed(sealBackup),
      read: inCopy('backup.json', async (copy) =>
        plannedRestore(await readBackup(copy, { acceptEdited: false })),
      ),
    },
    {
      name: 'an object of a backup',
      syntax: 'text',
      file: 'app.yaml',
      examples: [inBackup(objectFile)],
      names: /backup/,
      read: inCopy(objectFile, async (copy) =>
        plannedRestore(await readBackup(copy, { acceptEdited: true })),
      ),
    },
    {
      name: 'the field managers in a backup, with the digest that the index has',
      syntax: 'json',
      file: 'managers.json',
      examples: [
        json([{ manager: 'kubectl', operation: 'Update', apiVersion: 'v1', fieldsV1: {} }]),
      ],
      names: /backup/,
      read: inCopy(managersFile(objectFile), async (copy) => {
        const index = JSON.parse(inBackup('backup.json').toString());
        const managers = sha256Of(readFileSync(join(copy, managersFile(objectFile))));
        index.objects[0].managers = managers;
        writeFileSync(join(copy, 'backup.json'), json(index));
        await readBackup(copy, { acceptEdited: true });
      }),
    },
    {
      name: 'a kubeconfig',
      syntax: 'json',
      file: 'config',
      examples: ['me', 'exec', 'oidc'].map((user) => json(kubeconfigOf(user))),
      names: /kubeconfig|context|cluster|user|server|namespace|certificate|proxy|exec|auth/i,
      read: async (path) => {
        await resolveConnection(
          { kubeconfig: path },
          { env: {}, cwd: folder, serviceAccountDirectory: folder, stdinIsTerminal: false },
        );
        return 'whole';
      },
    },
    {
      name: 'a kuberc',
      syntax: 'json',
      file: 'kuberc',
      examples: [json(kuberc)],
      read: async (path) => {
        await readKuberc({ path, isNamed: true }, () => undefined);
        return 'whole';
      },
    },
    {
      name: 'saved output of a node',
      syntax: 'text',
      file: 'worker.txt',
      examples: [example('examples/nodes/worker-1.txt'), example('examples/nodes/worker-2.txt')],
      read: async (path) => {
        const nodes = await fromNodeFiles([path]);
        return nodes.every(({ problems }) => problems.length === 0) ? 'whole' : 'incomplete';
      },
    },
    {
      name: 'manifests that delete -f names',
      syntax: 'text',
      file: 'x.yaml',
      examples: ['shop', 'platform', 'tenant'].map((name) => example(`examples/shop/${name}.yaml`)),
      read: async (path) => {
        const manifests = await loadManifests((await expandPaths([path], false)).sources);
        const scope = { namespace: 'shop', explicit: false };
        const { failures } = targetsOfFiles(manifests, servedTypes, scope, 'a=b');
        return failures.length === 0 ? 'whole' : 'incomplete';
      },
    },
  ];
}

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

import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { Plan } from '../../src/deletion/plan/plan.ts';
import { disappearingIn } from '../../src/deletion/plan/plan-totals.ts';
import type { OrphansReport } from '../../src/questions/orphans/document.ts';
import { helm } from '../support/deploy-tools.ts';
import { gc } from '../support/run-gc.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Releases that the real helm installs and uninstalls. */
const plane = sharedControlPlane();
const namespace = 'helm-release';
const chart = join(temporaryFolder(), 'web');
const env = { KUBECONFIG: plane.kubeconfigPath };

const object = (kind: string, name: string, more = '') =>
  `apiVersion: v1\nkind: ${kind}\nmetadata:\n  name: ${name}\n${more}`;
const annotated = (key: string, value: string) => `  annotations:\n    ${key}: ${value}\n`;
const templates: Readonly<Record<string, string>> = {
  settings: object(
    'ConfigMap',
    '{{ .Release.Name }}',
    'data:\n  size: {{ .Values.size | quote }}\n',
  ),
  password: object('Secret', '{{ .Release.Name }}', 'stringData:\n  password: hush\n'),
  account: object('ServiceAccount', '{{ .Release.Name }}'),
  kept: object(
    'ConfigMap',
    '{{ .Release.Name }}-kept',
    annotated('helm.sh/resource-policy', 'keep'),
  ),
  hook: object('ConfigMap', '{{ .Release.Name }}-hook', annotated('helm.sh/hook', 'post-install')),
  role: object('ClusterRole', 'helm-release-{{ .Release.Name }}', 'rules: []\n').replace(
    'v1',
    'rbac.authorization.k8s.io/v1',
  ),
  home: object('Namespace', 'helm-release-{{ .Release.Name }}-home'),
};

function run(...args: readonly string[]): string {
  const options = { env: { ...process.env, ...env, HOME: chart }, encoding: 'utf8' as const };
  return execFileSync(helm(), [...args, '-n', namespace], options);
}

beforeAll(async () => {
  mkdirSync(join(chart, 'templates'), { recursive: true });
  writeFileSync(join(chart, 'Chart.yaml'), 'apiVersion: v2\nname: web\nversion: 1.0.0\n');
  writeFileSync(join(chart, 'values.yaml'), 'size: 1\n');
  for (const [name, text] of Object.entries(templates))
    writeFileSync(join(chart, 'templates', `${name}.yaml`), text);
  await plane.make(`Namespace ${namespace}`);
});

/** `ConfigMap web`, of all that the release may have made. */
async function present(release: string): Promise<string[]> {
  const namespaced = ['ConfigMap', 'Secret', 'ServiceAccount'];
  const lists = [
    ...namespaced.map((kind) => `${kind} ${namespace}/`),
    'ClusterRole ',
    'Namespace ',
  ];
  const found = await Promise.all(
    lists.map(async (list) =>
      (await plane.names(list)).map((name) => `${list.split(' ')[0]} ${name}`),
    ),
  );
  return found
    .flat()
    .filter((text) => text.includes(release))
    .sort();
}

/** What `orphans --unmanaged` says is left of a release. */
async function leftBehind(release: string): Promise<string[]> {
  const { stdout } = await gc(`orphans configmaps -n ${namespace} --unmanaged -o json`, { env });
  const { items } = JSON.parse(stdout) as OrphansReport;
  return items.flatMap(({ object: { name }, owners, gc: { because } }) =>
    owners === 'release-gone' && name.startsWith(release) ? `${name}: ${because}` : [],
  );
}

// With orphan helm still deletes all that the release made: what stays is what these objects own.
test.each([
  ['web', 'background'],
  ['shop', 'foreground'],
  ['blog', 'orphan'],
])(
  'release %s: helm uninstall --cascade %s deletes the previewed objects',
  async (release, cascade) => {
    run('install', release, chart);
    if (release === 'shop') run('upgrade', release, chart, '--set', 'size=2');
    const before = await present(release);
    const line = `delete helm/${release} -n ${namespace} --cascade=${cascade} --preview -o json`;
    const { stdout, stderr, code } = await gc(line, { env });
    const plan = JSON.parse(stdout) as Plan;
    const told = disappearingIn(plan).map(({ kind, name }) => `${kind} ${name}`);
    expect(await leftBehind(release)).toEqual([]);
    const tree = await gc(`tree helm/${release} -n ${namespace} -o name`, { env });
    const drawn = tree.stdout.split('\n').filter((text) => text.includes(release));
    expect(drawn).toHaveLength(told.filter((text) => text.includes(release)).length);
    expect(tree.stderr).toContain(`objects of release ${namespace}/${release}, revision`);
    run('uninstall', release, '--wait', '--cascade', cascade);
    const after = await present(release);
    const gone = before.filter((text) => !after.includes(text));
    expect(told.filter((text) => text.includes(release)).sort()).toEqual(gone);
    expect(await leftBehind(release)).toEqual([
      `${release}-kept: Helm installed it with release ${namespace}/${release}, of which no Secret and no ConfigMap is left; helm.sh/resource-policy is keep, so that uninstalling left it`,
    ]);
    const revision = release === 'shop' ? 2 : 1;
    expect(stderr).toContain(
      `Note: helm uninstall deletes 5 objects of release ${namespace}/${release}, revision ${revision} (deployed), and ${revision === 1 ? '1 Secret' : '2 Secrets'} that hold it.`,
    );
    expect(stderr).toContain(
      `It leaves ConfigMap ${release}-kept: helm.sh/resource-policy is keep.`,
    );
    expect(`${stdout}${stderr}`).not.toContain('hush');
    expect([code, after]).toEqual([0, [`ConfigMap ${release}-hook`, `ConfigMap ${release}-kept`]]);
  },
);

test('a release is only previewed, and one that is not there is not found', async () => {
  expect(await gc(`delete helm/web -n ${namespace} --yes`, { env })).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^error: helm\/RELEASE can only be previewed:/),
  });
  expect(await gc(`delete helm/none -n ${namespace} --preview`, { env })).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('release "none" not found in namespace'),
  });
});

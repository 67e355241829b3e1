import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { SettingsReport } from '../../../src/output/documents/settings.ts';
import { validDocument } from '../../contract/valid-document.ts';
import { gcHere } from '../../support/run-here.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const folder = temporaryFolder();
const manager = 'kube-controller-manager';

function file(name: string, text: string): string {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

async function settings(line: string): Promise<SettingsReport> {
  const { code, stdout, stderr } = await gcHere(`settings ${line} -o json`);
  if (code !== 0) throw new Error(stderr);
  const report: SettingsReport = validDocument('settings', stdout);
  return report;
}

/** What was read, without what nobody set. */
function given({ items }: SettingsReport) {
  return items
    .filter(({ source }) => source !== 'default')
    .map(({ component, name, value, source }) => [component, name, value, source]);
}

describe('forms of input', () => {
  test('what kubectl printed: replicas and their Lease', async () => {
    const pod = (node: string, threshold: number) => ({
      kind: 'Pod',
      metadata: { name: `kcm-${node}`, namespace: 'kube-system' },
      spec: {
        nodeName: node,
        containers: [
          {
            name: manager,
            image: `${manager}:v1.36.3`,
            command: [manager, `--terminated-pod-gc-threshold=${threshold}`],
          },
        ],
      },
    });
    const lease = {
      kind: 'Lease',
      metadata: { name: manager, namespace: 'kube-system' },
      spec: { holderIdentity: 'b_1' },
    };
    const list = { kind: 'List', items: [pod('a', 1), pod('b', 2), lease] };
    const report = await settings(`--from ${file('list.json', JSON.stringify(list))}`);
    expect([report.leader?.instance, report.settings]).toEqual([
      'b',
      { controllers: ['*'], terminatedPodGCThreshold: 2 },
    ]);
  });

  test('a folder: /configz, and what is none of it', async () => {
    file(
      'saved/node-a.json',
      JSON.stringify({ kubeletconfig: { imageGCHighThresholdPercent: 70 } }),
    );
    file('saved/notes.md', 'nothing of use\n');
    const report = await settings(`--from ${join(folder, 'saved')}`);
    expect(
      given(report).filter(([, , value]) => value !== undefined && JSON.stringify(value) !== '{}'),
    ).toEqual([['kubelet', 'imageGCHighThresholdPercent', 70, 'configz']]);
    expect(report.coverage.problems.map(({ message }) => message)).toEqual([
      `${join(folder, 'saved/notes.md')} holds no settings`,
    ]);
  });

  test('a settings file, and what this command printed of it', async () => {
    const first = await settings('--settings examples/settings/settings.yaml');
    expect(given(first)).toEqual([
      [manager, 'controllers', ['*', '-ttl-after-finished-controller'], 'file'],
      [manager, 'terminatedPodGCThreshold', 500, 'file'],
      [manager, 'nodeMonitorGracePeriod', '2m', 'file'],
    ]);
    const again = await settings(`--settings ${file('document.json', JSON.stringify(first))}`);
    expect(again.settings).toEqual(first.settings);
  });

  test('a settings file is meant instead of what was saved', async () => {
    const path = file('less.yaml', 'terminatedPodGCThreshold: 7\n');
    const report = await settings(
      `--from examples/settings/kube-controller-manager.yaml --settings ${path}`,
    );
    expect(given(report).slice(0, 3)).toEqual([
      [manager, 'controllers', ['*', 'bootstrapsigner', 'tokencleaner'], 'flag'],
      [manager, 'leaderElect', true, 'flag'],
      [manager, 'terminatedPodGCThreshold', 7, 'file'],
    ]);
  });

  test('YAML says what JSON says, and the table marks what is unknown', async () => {
    const line = 'settings --kubelet examples/settings/kubelet.yaml --now 2026-01-01T00:00:00Z';
    const json = JSON.parse((await gcHere(`${line} -o json`)).stdout);
    expect(parse((await gcHere(`${line} -o yaml`)).stdout)).toEqual(json);
    const { stdout } = await gcHere(`${line} --collector container-gc`);
    expect(stdout).toMatch(/^--maximum-dead-containers +<unknown> +-1 \(v1\.36\) +unknown /m);
  });
});

/** The rest stands in test/fixtures/transcripts/settings.txt. */
describe('bad input', () => {
  test('a static pod that is started in an unknown form leaves all unknown, with the reason', async () => {
    const text = `kind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: ${manager}, image: "x:v1.36.3", command: [/opt/start.sh]}]}`;
    const report = await settings(`--from ${file('odd.yaml', text)}`);
    expect(new Set(report.items.map(({ source, readFrom }) => `${source}: ${readFrom}`))).toEqual(
      new Set([`unknown: pod kube-system/p: it starts /opt/start.sh, which is not ${manager}`]),
    );
    expect(report.settings).toEqual({});
  });
});

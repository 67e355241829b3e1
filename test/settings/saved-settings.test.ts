import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { parseCommandLine } from '../../src/settings/control-plane-pods.ts';
import {
  decodeSettings,
  encodeSettings,
  type ProgramFacts,
  type SettingsFacts,
} from '../../src/settings/settings-facts.ts';
import { rowsOf } from '../support/rows.ts';

const manager: ProgramFacts = {
  component: 'kube-controller-manager',
  instance: 'cp-1',
  readFrom: 'pod kube-system/kube-controller-manager-cp-1',
  version: 'v1.36.3',
  commandLine: parseCommandLine(
    ['--terminated-pod-gc-threshold=5', '--feature-gates=A=true'],
    () => 'value',
  ),
};
const server: ProgramFacts = {
  component: 'kube-apiserver',
  instance: 'cp-1',
  readFrom: 'pod kube-system/kube-apiserver-cp-1',
  version: undefined,
};
const kubelet: ProgramFacts = {
  component: 'kubelet',
  instance: 'worker-1',
  readFrom: '/configz of node worker-1',
  version: 'v1.36.3',
  configuration: { source: 'configz', fields: { imageMaximumGCAge: '72h' }, problems: ['odd'] },
};
const facts: SettingsFacts = {
  observedAt: '2026-01-03T00:00:00Z',
  serverVersion: 'v1.36.3',
  components: ['kube-controller-manager', 'kube-apiserver', 'kubelet'],
  programs: [manager, server, kubelet],
  leader: { kind: 'known', instance: 'cp-1', lease: 'Lease kube-system/kube-controller-manager' },
  problems: [{ reason: 'forbidden', message: 'cannot list nodes', resource: 'nodes' }],
};
const saved = (some: SettingsFacts) => JSON.parse(JSON.stringify(encodeSettings(some)));

test('saved settings are read again as they were', () => {
  expect(decodeSettings(saved(facts))).toEqual(facts);
});

test.each([
  { kind: 'sole' as const },
  { kind: 'unknown' as const, because: 'the Lease names no leader' },
  { kind: 'unknown' as const, because: 'it is elsewhere', elsewhere: true },
])('a leader that is $kind is kept', (leader) => {
  expect(decodeSettings(saved({ ...facts, leader })).leader).toEqual(leader);
});

test('saved settings keep no value of other flags and fields', () => {
  const words = ['--cloud-config=hush', '--controllers=*'];
  const programs: ProgramFacts[] = [
    { ...manager, commandLine: parseCommandLine(words, () => 'value') },
    server,
    {
      ...kubelet,
      configuration: {
        source: 'configz',
        fields: { staticPodURLHeader: { Authorization: ['hush'] } },
        problems: [],
      },
    },
  ];
  const json = saved({ ...facts, programs });
  expect(JSON.stringify(json)).not.toContain('hush');
  const [first] = decodeSettings(json).programs;
  expect([...(first?.commandLine?.flags ?? [])]).toEqual([
    ['cloud-config', []],
    ['controllers', ['*']],
  ]);
});

test('unknown values of a flag are kept', () => {
  const commandLine = {
    flags: new Map([
      ['controllers', ['$(C)', '*']],
      ['terminated-pod-gc-threshold', [null]],
    ]),
    unclear: '-x is no flag',
  };
  const [program] = decodeSettings(
    saved({ ...facts, programs: [{ ...manager, commandLine }] }),
  ).programs;
  expect(program?.commandLine).toStrictEqual(commandLine);
});

const refused = rowsOf(`
  programs: [{instance: a, readFrom: a}]                                 | programs[0].component is missing
  programs: [{component: kubelet, instance: a, readFrom: a, commandLine: {flags: {controllers: [1]}}}]
      | programs[0].commandLine.flags.controllers[0] is 1, not a string
  programs: [{component: kubelet, instance: a, readFrom: a, configuration: {source: configz, fields: []}}]
      | programs[0].configuration.fields is a list, not a mapping
  leader: {kind: known, instance: a}                                     | leader.lease is missing
  leader: {kind: unknown}                                                | leader.because is missing
  leader: {kind: other}                                                  | leader.kind is "other", not one of sole, known, unknown
  components: [kube-proxy] | components[0] is "kube-proxy", not one of kube-controller-manager, kube-apiserver, kubelet
  problems: [{}]                                                         | problems[0].reason is missing
`);

test.each(refused)('settings that are none are refused: %s', (changes = '', fault) => {
  expect(() => decodeSettings({ ...saved(facts), ...parse(changes) })).toThrow(
    `its evidence.settings.${fault}`,
  );
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { findControlPlane, wantedVersion } from '../../scripts/control-plane.mjs';
import { parseCommandLine } from '../../src/settings/control-plane-pods.ts';
import { effectiveFaults } from '../../src/settings/effective-settings.ts';
import { featureGates, gateIn } from '../../src/settings/feature-gates.ts';
import { defaultIn, type SettingDefinition } from '../../src/settings/setting-definition.ts';
import { flagKindOf, settingsTable } from '../../src/settings/settings-table.ts';
import { playedMinor } from '../support/played-minor.ts';

const manager = 'kube-controller-manager';

const binaries = findControlPlane() ?? '';

/** What a built program of the control plane says of its flags, as `type` and `default`, and the defaults of its gates. */
async function helpOf(program: string) {
  const { output } = await runProgram(program, ['--help']);
  const flags = new Map<string, { type: string; default: string | undefined }>();
  // A description goes on in the lines below, and its default stands at the end.
  for (const entry of output.split(/^(?= {2,6}(?:-\w, )?--)/m)) {
    const match = /^ {2,6}(?:-\w, )?--([\w-]+)(?: (\S+))?/.exec(entry);
    if (!match) continue;
    const [, name = '', type = ''] = match;
    const first = entry.split(/\n\n/)[0] ?? '';
    const isSwitch = /^ {2,6}(?:-\w, )?--[\w-]+ {2,}/.test(entry);
    const written = /\(default "?(\[[^\]]*\]|[^")]*)"?\)\s*$/.exec(first)?.[1];
    flags.set(name, { type: isSwitch ? 'bool' : type, default: written });
  }
  const shown = output.matchAll(/kube:(\w+)=true\|false \(\w+ - default=(\w+)\)/g);
  const gates = new Map([...shown].map(([, name = '', on]) => [name, on === 'true']));
  return { flags, gates };
}

/** What a program says when it does not start with these flags: upstream's own words. */
async function refusalOf(program: string, args: readonly string[]): Promise<string> {
  const { code, output } = await runProgram(program, args);
  if (code === 0) throw new Error(`${program} ${args.join(' ')} ended well`);
  const failed = /"command failed" err="((?:[^"\\]|\\.)*)"/.exec(output)?.[1];
  const usage = /^Error: (.*)$/m.exec(output)?.[1];
  return usage ?? (failed === undefined ? output : (JSON.parse(`"${failed}"`) as string));
}

async function runProgram(program: string, args: readonly string[]) {
  const child = spawn(join(binaries, program), args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const timer = setTimeout(() => child.kill(), 30_000);
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk));
  const [code] = (await once(child, 'close')) as [number | null];
  clearTimeout(timer);
  return { code, output: Buffer.concat(chunks).toString() };
}

describe.each([manager, 'kube-apiserver'] as const)('%s --help', (component) => {
  let help: Awaited<ReturnType<typeof helpOf>>;
  beforeAll(async () => {
    help = await helpOf(component);
  });

  test('knows every flag of the table, with that type and default', () => {
    const ours = settingsTable()[component].filter(
      (one) => defaultIn(one, playedMinor) !== undefined,
    );
    const told = ours.map(({ flag = '' }) => [flag, help.flags.get(flag)]);
    expect(told).toEqual(ours.map((one) => [one.flag, inHelp(one)]));
  });

  test('has the same defaults of feature gates; those that it does not show are locked, final or not its own', async () => {
    const gates = featureGates()
      .filter(({ components }) => components.includes(component))
      .map((gate) => ({ name: gate.name, present: gateIn(gate, playedMinor) }));
    const isHidden = ({ name, present }: (typeof gates)[number]) =>
      present !== undefined && !present.locked && !help.gates.has(name);
    const told = gates.map(({ name }) => [name, help.gates.get(name)]);
    expect(told).toEqual(
      gates.map((gate) => [
        gate.name,
        gate.present?.locked || isHidden(gate) ? undefined : gate.present?.on,
      ]),
    );
    // One that is final is not listed; until it is locked it can be turned off.
    for (const { name, present } of gates) {
      if (present === undefined || help.gates.has(name)) continue;
      const refusal = await refusalOf(component, [`--feature-gates=${name}=false`]);
      const isLocked = refusal.includes('is locked to true');
      expect([name, true, isLocked]).toEqual([name, present.on, present.locked === true]);
    }
  });
});

/** A setting of the table as `--help` prints it: what is nothing is not printed. */
function inHelp(definition: SettingDefinition) {
  const { type } = definition;
  const value = defaultIn(definition, playedMinor);
  const written = Array.isArray(value) ? `[${value.join(',')}]` : String(value);
  const isNothing = ['false', '0', '0s', '[]', ''].includes(written);
  return { type, default: isNothing ? undefined : written };
}

describe('refusals of the real program', () => {
  const lines = [
    ['--terminated-pod-gc-threshold=abc'],
    ['--terminated-pod-gc-threshold=2147483648'],
    ['--terminated-pod-gc-threshold', '1.5'],
    ['--node-monitor-grace-period=5d'],
    ['--node-monitor-grace-period=5'],
    ['--node-monitor-grace-period=soon'],
    ['--enable_garbage_collector=yes'],
    ['--node-eviction-rate=x'],
    ['--concurrent-gc-syncs'],
    ['--concurrent-gc-syncs', '--v=2'],
    ['--controllers=foo'],
    ['--controllers=*,-bar'],
    ['--feature-gates=APIServerIdentity=maybe'],
    ['--feature-gates=APIServerIdentity'],
    ['--feature-gates=OrderedNamespaceDeletion=false'],
    ['--feature-gates=DynamicResourceAllocation=false'],
  ];
  test.each(lines.map((words) => ({ line: words.join(' '), words })))(
    '$line',
    async ({ words }) => {
      const refusal = await refusalOf(manager, words);
      // What older versions allow gets as far as the missing kubeconfig.
      const isAllowed = refusal.startsWith('invalid configuration: no configuration');
      expect(faultsOf(words)).toEqual(isAllowed ? [] : [refusal]);
    },
  );

  test('values that are odd, but allowed', () => {
    const odd = [
      '--terminated-pod-gc-threshold=-1',
      '--concurrent-gc-syncs=0x10',
      '--controllers=',
    ];
    expect(odd.flatMap((flag) => faultsOf([flag]))).toEqual([]);
  });
});

function faultsOf(args: readonly string[]): string[] {
  const commandLine = parseCommandLine(args, flagKindOf(manager));
  return effectiveFaults({
    component: manager,
    instance: 'a',
    readFrom: 'a',
    version: wantedVersion(),
    commandLine,
  });
}

import { beforeAll, describe, expect, test } from 'vitest';
import { findControlPlane } from '../../scripts/control-plane.mjs';
import { featureGates, gateIn } from '../../src/controllers/settings/feature-gates.ts';
import {
  defaultIn,
  type SettingDefinition,
} from '../../src/controllers/settings/setting-definition.ts';
import { settingsTable } from '../../src/controllers/settings/settings-table.ts';
import { playedMinor } from '../support/played-minor.ts';
import { type Help, helpOf, refusalOf } from './settings-referee.ts';

const manager = 'kube-controller-manager';

const binaries = findControlPlane() ?? '';

describe.each([manager, 'kube-apiserver'] as const)('%s --help', (component) => {
  let help: Help;
  beforeAll(async () => {
    help = await helpOf(binaries, component);
  });

  test('knows every flag of the table, with that type and default', () => {
    const ours = settingsTable[component].filter(
      (one) => defaultIn(one, playedMinor) !== undefined,
    );
    const told = ours.map(({ flag = '' }) => [flag, help.flags.get(flag)]);
    expect(told).toEqual(ours.map((one) => [one.flag, inHelp(one)]));
  });

  test('has the same defaults of feature gates; those that it does not show are locked, final or not its own', async () => {
    const gates = featureGates
      .filter(({ components }) => components.includes(component))
      .map((gate) => ({ name: gate.name, present: gateIn(gate, playedMinor) }));
    const isHidden = ({ name, present }: (typeof gates)[number]) =>
      present !== undefined && !present.locked && !help.gates.has(name);
    const told = gates.map(({ name }) => [name, help.gates.get(name)?.default]);
    expect(told).toEqual(
      gates.map((gate) => [
        gate.name,
        gate.present?.locked || isHidden(gate) ? undefined : gate.present?.on,
      ]),
    );
    // One that is final is not listed; until it is locked it can be turned off.
    for (const { name, present } of gates) {
      if (present === undefined || help.gates.has(name)) continue;
      const refusal = await refusalOf(binaries, component, [`--feature-gates=${name}=false`]);
      const isLocked = refusal.includes('feature is locked to true');
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

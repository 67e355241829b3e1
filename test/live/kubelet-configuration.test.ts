import { expect, test } from 'vitest';
import { validateKubeletConfiguration } from '../../src/kubelet/configuration/validate-configuration.ts';
import { generateConfigurations } from '../kubelet-referee/generate-configuration.ts';
import { playThroughKubelet } from '../kubelet-referee/referee.ts';
import { freshSeed } from '../support/fresh-seed.ts';

const seed = Number(process.env.REFEREE_SEED ?? freshSeed);
const count = 5000;

test(`configurations are refused in the kubelet's own words, seed ${seed}`, {
  timeout: 1_200_000,
}, async () => {
  const configurations = generateConfigurations(seed, count);
  const { configurations: answers } = await playThroughKubelet({
    configurations: configurations.map((one) => JSON.stringify(one)),
  });
  const tally = { refused: 0, started: 0, unreadable: 0 };
  for (const [n, one] of configurations.entries()) {
    const said = answers[n] ?? [];
    const { problems } = validateKubeletConfiguration(one);
    const [first = ''] = said;
    if (said.length === 0) tally.started += 1;
    else if (first.startsWith('failed to decode: ')) tally.unreadable += 1;
    else tally.refused += 1;
    expect(comparable(problems, first), JSON.stringify(one)).toEqual(said);
  }
  expect(Math.min(tally.refused, tally.started, tally.unreadable)).toBeGreaterThan(count / 50);
});

/** The kubelet stops at the first thing that it cannot read, and does not name the field of a duration. */
function comparable(problems: readonly string[], said: string): readonly string[] {
  const [first = ''] = problems;
  if (said.startsWith('failed to decode: ')) {
    const plain = first.replace(/^\w+: time:/, 'time:').replace(/; there are no days.*/, '');
    return [`failed to decode: ${plain}`];
  }
  return said.startsWith('invalid configuration:') ? problems : problems.slice(0, 1);
}

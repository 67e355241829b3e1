import { expect, test } from 'vitest';
import { gcHere } from '../support/run-here.ts';

const words = '--now is before the cluster was read: what happened since then still counts.';

test('a clock before the time of a saved snapshot causes a warning, and plain files have no time', async () => {
  const commands = ['forecast', 'podgc-preview', 'simulate --delete deployment/web -n shop'];
  const inputs = ['examples/clusters/shop.json.gz', 'examples/shop/shop.yaml'];
  const told: boolean[] = [];
  for (const command of commands) {
    for (const input of inputs) {
      for (const clock of ['--now 2020-01-01T00:00:00Z', '']) {
        const { code, stderr } = await gcHere(`${command} --from ${input} ${clock} -o json`);
        expect(code, stderr).toBe(0);
        told.push(stderr.includes(words));
      }
    }
  }
  const [saved, plain] = [
    [true, false],
    [false, false],
  ];
  expect(told).toEqual([saved, plain, saved, plain, saved, plain].flat());
});

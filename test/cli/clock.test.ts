import { expect, test } from 'vitest';
import { gcHere } from '../support/run-here.ts';

const words = '--now is before the cluster was read: what happened since then still counts.';

test.each(['forecast', 'podgc-preview', 'simulate --delete deployment/web -n shop'])(
  '%s warns of a clock before the time of a saved snapshot, and plain files have no time',
  async (command) => {
    const told: boolean[] = [];
    for (const input of ['examples/clusters/shop.json.gz', 'examples/shop/shop.yaml']) {
      for (const clock of ['--now 2020-01-01T00:00:00Z', '']) {
        const { code, stderr } = await gcHere(`${command} --from ${input} ${clock} -o json`);
        expect(code, stderr).toBe(0);
        told.push(stderr.includes(words));
      }
    }
    expect(told).toEqual([true, false, false, false]);
  },
);

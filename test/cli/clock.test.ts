import { expect, test } from 'vitest';
import { gcHere } from '../support/run-here.ts';

const warning = /^--now is before/m;

test.each(['forecast', 'podgc-preview', 'simulate --delete deployment/web -n shop'])(
  '%s warns of a --now before a saved snapshot, not before plain files',
  async (command) => {
    const warned: boolean[] = [];
    for (const input of ['examples/clusters/shop.json.gz', 'examples/shop/shop.yaml']) {
      for (const clock of ['--now 2020-01-01T00:00:00Z', '']) {
        const { code, stderr } = await gcHere(`${command} --from ${input} ${clock} -o json`);
        expect(code, stderr).toBe(0);
        warned.push(warning.test(stderr));
      }
    }
    expect(warned).toEqual([true, false, false, false]);
  },
);

import { expect, test } from 'vitest';
import { performDeletions, untruths } from '../differential/delete-cases.ts';

/** The same each time, so that a failure is that of a change; DELETION_SEED and DELETION_CASES ask others, or more. */
const seed = Number(process.env.DELETION_SEED ?? 799_840);
const count = Number(process.env.DELETION_CASES ?? 25);

const policies = ['Background', 'Foreground', 'Orphan'] as const;

test.concurrent.each(policies)(
  `what is planned with %s happens, seed ${seed}`,
  {
    timeout: 600_000,
  },
  async (policy) => {
    const seeds = Array.from({ length: count }, (_, n) => seed + n);
    const performed = await performDeletions(seeds, policy);
    const objects = performed.flatMap(({ plan }) => plan.objects);
    const open = objects.filter(({ fate }) => fate === 'unknown').length;
    console.log(
      `${policy}: seed ${seed}, ${performed.length} deletions, ${objects.length} planned objects, ${open} undetermined`,
    );
    expect(performed.length).toBeGreaterThan(count / 2);
    expect(open / objects.length).toBeLessThan(0.15);
    const wrong = performed.map((one) => ({ id: one.id, found: untruths(one) }));
    expect(wrong.filter(({ found }) => found.length > 0)).toEqual([]);
  },
);

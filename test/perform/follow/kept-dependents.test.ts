import { describe, expect, test } from 'vitest';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { configMap, gadget, ownedBy, pod, secret } from '../../support/builders.ts';
import { FakeCluster } from '../send/fake-cluster.ts';
import { perform, planned, planOf, reasonsLeft, requestFor, told } from '../send/plans.ts';

const deletionTimestamp = '2026-01-03T00:00:00Z';
const top = configMap('top');
const other = configMap('other');
const child = configMap('child', { ownerReferences: [ownedBy(top)] });
const leaf = secret('leaf', { ownerReferences: [ownedBy(child)] });
const changed = (...owners: ObjectRecord[]) => ({
  ...child,
  ownerReferences: owners.map((owner) => ownedBy(owner)),
});

/**
 * Deletes `top`, of which the garbage collector was to delete these; before the request, the child becomes this. What is left,
 * and how the run ended.
 */
async function endOf(
  now: ObjectRecord,
  around: readonly ObjectRecord[],
  { dependents = [child], rule = 'GC-22.13' } = {},
) {
  const cluster = new FakeCluster([top, ...dependents, ...around]);
  const objects = dependents.map((record) => planned(record, 'deleted', { rule }));
  const plan = planOf([requestFor(top)], [planned(top, 'deleted'), ...objects]);
  cluster.onDelete = (record) => {
    cluster.put(now);
    cluster.remove(record);
  };
  // A run that waits for what nobody deletes is given up late.
  const pace = { silence: 20, lookAgain: 20, actorGone: 400, actorUnseen: 400 };
  const events = await perform(cluster, plan, { timeout: undefined, pace });
  return events.flatMap((event) =>
    event.type === 'left'
      ? [`left ${reasonsLeft([event])}`]
      : told([event]).filter((line) => /^(difference|done)/.test(line)),
  );
}

const isWaitedFor = expect.arrayContaining(['done stalled']);

describe('a dependent that nothing deletes any more', () => {
  test('a dependent with another owner that exists is kept, and not waited for', async () => {
    expect((await endOf(changed(top, other), [other])).join('\n')).toMatchInlineSnapshot(`
      "left child: kept: also owned by ConfigMap other
      done settled"
    `);
    const cluster = gadget('wide');
    expect((await endOf(changed(cluster), [cluster])).join('\n')).toMatchInlineSnapshot(`
      "left child: kept: also owned by Gadget wide
      done settled"
    `);
  });

  test('a dependent that has lost its owner references is kept, and not waited for', async () => {
    expect((await endOf(changed(), [])).join('\n')).toMatchInlineSnapshot(`
      "left child: kept: it has no owner references any more
      done settled"
    `);
  });

  test('what a kept dependent owns is kept, too', async () => {
    expect(
      (await endOf(changed(top, other), [other], { dependents: [child, leaf] })).join('\n'),
    ).toMatchInlineSnapshot(`
      "left child: kept: also owned by ConfigMap other
      left leaf: kept: also owned by ConfigMap child
      done settled"
    `);
  });
});

describe('a dependent that the garbage collector deletes', () => {
  const elsewhere = configMap('other', { namespace: 'bank' });
  const unserved = ownedBy(other, { apiVersion: 'example.org/v9', kind: 'Other' });
  test.each<[string, ObjectRecord, readonly ObjectRecord[]]>([
    ['other owner missing', changed(top, other), []],
    ['other owner replaced', changed(other), [configMap('other', { uid: 'new' })]],
    ['other owner terminating', changed(other), [{ ...other, deletionTimestamp }]],
    ['other owner elsewhere', changed(elsewhere), [elsewhere]],
    ['other owner unserved', { ...child, ownerReferences: [unserved] }, []],
    ['owner unchanged', child, []],
  ])('a dependent %s is waited for', async (_, now, around) => {
    expect(await endOf(now, around)).toEqual(isWaitedFor);
  });

  test('an object that another controller deletes is waited for, whoever owns it', async () => {
    const bound = pod('bound', { ownerReferences: [ownedBy(other)] });
    const options = { dependents: [bound], rule: 'PG-16' };
    expect(await endOf(bound, [other], options)).toEqual(isWaitedFor);
  });
});

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { nowhere } from '../../src/command-line/shell-command.ts';
import type { Planned } from '../../src/deletion/plan/plan.ts';
import { GcError, isGcError } from '../../src/errors.ts';
import type { ObjectRecord } from '../../src/kube/object-record.ts';
import { withProblems } from '../../src/perform/limits.ts';
import type { PerformOptions, RunReporter } from '../../src/perform/perform-options.ts';
import { performPlan } from '../../src/perform/perform-plan.ts';
import type { ProgressEvent } from '../../src/perform/progress-event.ts';
import { readBackup } from '../../src/restore/backup/read-backup.ts';
import { limitsOf } from '../../src/shell/plan/planning.ts';
import { context } from '../deletion/plan/planned.ts';
import { builderOf, configMap, servedTypes, snapshotOf } from '../support/builders.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { FakeCluster } from './send/fake-cluster.ts';
import { deletionsOf, planned, planOf, requestFor } from './send/plans.ts';

const objects = ['a', 'b', 'c'].map((name) => configMap(name));
const quick: Omit<PerformOptions, 'replan'> = {
  limits: limitsOf({ yes: true }, { maxDeletes: undefined }),
  rehearses: false,
  changesEnd: false,
  backup: { of: 'none', directory: undefined, encrypt: async () => undefined },
  wait: 'tree',
  timeout: 3_000,
  useResourceVersion: false,
  asController: true,
};
const full = new GcError('cannot write to stdout', { code: 'cannot-write' });

describe('what was written to or appeared while a backup was made', () => {
  const shop = builderOf('v1', 'Namespace')('shop');
  const before = ['a', 'b'].map((name) => configMap(name));
  const folder = temporaryFolder();
  let count = 0;

  /** Deletes the namespace, which has become so by the second look. */
  async function performed(
    change: (cluster: FakeCluster) => readonly ObjectRecord[],
    {
      maxDeletes,
      target = shop,
      isListed = false,
      asks = false,
      ...how
    }: Partial<PerformOptions> & {
      maxDeletes?: number;
      target?: ObjectRecord;
      isListed?: boolean;
      asks?: boolean;
    } = {},
  ) {
    const cluster = new FakeCluster([shop, ...before]);
    cluster.before = ({ path }) =>
      path.endsWith('accessreviews')
        ? { status: 201, body: { kind: 'SelfSubjectAccessReview', status: { allowed: true } } }
        : undefined;
    // Its content follows it.
    cluster.onDelete = () => {
      for (const { namespace, name } of before) cluster.remove(configMap(name, { namespace }));
      cluster.remove(target);
    };
    const plannedOf = (records: readonly ObjectRecord[]): Planned => ({
      plan: planOf(
        records.some(({ uid }) => uid === target.uid) ? [requestFor(target)] : [],
        records.map((record) => planned(record, 'deleted', { wave: record === target ? 0 : 1 })),
      ),
      snapshot: snapshotOf(records),
      targets: [target],
      context,
    });
    const directory = join(folder, `backup-${count++}`);
    let looks = 0;
    const manner: PerformOptions = {
      ...quick,
      replan: async () => {
        looks += 1;
        return plannedOf(change(cluster));
      },
      limits: { ...limitsOf({ yes: true }, { maxDeletes }), asksFirst: () => asks },
      backup: { of: 'all', directory, encrypt: async () => undefined },
      asController: false,
      ...how,
    };
    const asked: number[] = [];
    const ask: RunReporter['ask'] = async ({ plan }) => asked.push(plan.objects.length) > 0;
    const talk: RunReporter = { ask, report: () => undefined };
    const at = { client: cluster.client, types: servedTypes, place: nowhere };
    const { signal } = new AbortController();
    const listed = [shop, ...before].map((record, index) => ({
      ...record,
      resourceVersion: `${101 + index}`,
    }));
    const all = [target, ...before.filter((one) => one !== target)];
    const first = {
      ...plannedOf(all),
      ...(isListed && { snapshot: snapshotOf(listed), listVersions: new Map() }),
    };
    const refused = await performPlan(first, at, manner, talk, signal).then(
      () => undefined,
      (error: unknown) => (isGcError(error) ? error.code : Promise.reject(error)),
    );
    const { saved } = existsSync(directory)
      ? await readBackup(directory, { acceptEdited: false })
      : { saved: [] };
    const versions = saved.map(({ name, manifest }) => [
      name,
      Object(manifest).metadata.labels?.v ?? '',
    ]);
    return { refused, looks, asked, versions, deletes: cluster.deletes };
  }

  const [a = shop, b = shop] = before;
  const written = (cluster: FakeCluster, record: ObjectRecord, v: string) => {
    const changed = { ...record, labels: { v } };
    cluster.put(changed);
    return { ...changed, resourceVersion: `${cluster.version}` };
  };

  test('an object that was written to is saved once more as it was at the last look', async () => {
    const end = await performed((cluster) => [shop, written(cluster, a, '59'), b]);
    expect(end).toEqual({
      refused: undefined,
      looks: 1,
      asked: [],
      versions: [
        ['shop', ''],
        ['a', '59'],
        ['b', ''],
      ],
      deletes: ['/api/v1/namespaces/shop'],
    });
  });

  test('what appears in a namespace that is deleted is saved, and what has left it is not', async () => {
    const end = await performed((cluster) => {
      cluster.remove(b);
      return [shop, a, written(cluster, configMap('new'), '1')];
    });
    expect([end.refused, end.looks, end.versions]).toEqual([
      undefined,
      1,
      [
        ['shop', ''],
        ['a', ''],
        ['new', '1'],
      ],
    ]);
  });

  test('what appears in a namespace counts for the limit', async () => {
    const end = await performed(
      (cluster) => [shop, a, b, written(cluster, configMap('new'), '1')],
      {
        maxDeletes: 3,
      },
    );
    expect(end).toMatchObject({ refused: 'too-many-deletes', versions: [], deletes: [] });
  });

  test('a script whose backup has each object as it was planned does not plan again', async () => {
    const end = await performed(() => [], { target: a, isListed: true });
    expect([end.refused, end.looks, end.versions.length, end.deletes.length]).toEqual([
      undefined,
      0,
      2,
      1,
    ]);
  });

  const unsaved: PerformOptions['backup'] = { ...quick.backup, of: 'none' };
  test.each<[string, Parameters<typeof performed>[1], readonly number[]]>([
    [
      'once somebody was asked, however soon the answer and the backup were there',
      { asks: true },
      [2],
    ],
    ['once somebody was asked, without a backup too', { asks: true, backup: unsaved }, [2]],
    ['where the plan was saved', { useResourceVersion: true }, []],
    ['where a controller is applied', { asController: true }, []],
  ])('all is planned again %s', async (_, how, asked) => {
    const end = await performed(() => [a, b], { target: a, isListed: true, ...how });
    expect(end).toMatchObject({
      refused: undefined,
      looks: 1,
      asked,
      deletes: [expect.anything()],
    });
  });

  test('if the target is deleted while somebody is asked, nobody is asked again, and nothing is sent', async () => {
    const end = await performed(() => [], { target: a, asks: true, backup: unsaved });
    expect(end).toMatchObject({ refused: undefined, looks: 1, asked: [2], deletes: [] });
  });

  test.each([
    [true, 1],
    [false, 2],
  ])(
    'fewer objects are a change, but not of what a controller does (%s)',
    async (asController, looks) => {
      const end = await performed(() => [a], { target: a, asController });
      expect(end).toMatchObject({ refused: undefined, looks, deletes: [expect.anything()] });
    },
  );

  test('a namespace is planned again, as objects may have appeared in it', async () => {
    const end = await performed(() => [shop, a, b], { isListed: true });
    expect([end.refused, end.looks, end.deletes.length]).toEqual([undefined, 1, 1]);
  });

  test('what appears beside it is looked at until nothing does, and else nothing is sent', async () => {
    const appears = (cluster: FakeCluster) => [
      a,
      b,
      written(cluster, configMap(`new-${cluster.version}`), '1'),
    ];
    const end = await performed(appears, { target: a });
    expect(end).toMatchObject({ refused: 'never-still', looks: 3, versions: [], deletes: [] });
  });
});

/** Deletes them for somebody to whom an event of this type cannot be told. */
async function ended(failsAt: ProgressEvent['type'], error: unknown, rehearses = false) {
  return deletedFrom(new FakeCluster(objects), {
    rehearses,
    report: (said) => {
      if ('event' in said && said.event.type === failsAt) throw error;
    },
  });
}

/** Deletes all objects; what is thrown then, and how many DELETEs were sent. */
async function deletedFrom(
  cluster: FakeCluster,
  {
    rehearses = false,
    report = () => undefined,
    signal = new AbortController().signal,
    types = servedTypes,
    problems = [],
  }: {
    problems?: Planned['plan']['coverage']['problems'];
    types?: typeof servedTypes;
    rehearses?: boolean;
    report?: RunReporter['report'];
    signal?: AbortSignal;
  } = {},
) {
  const plan = deletionsOf(...objects);
  const all: Planned = {
    plan: withProblems(plan, problems),
    snapshot: snapshotOf(objects),
    targets: objects,
    context,
  };
  const manner: PerformOptions = { ...quick, replan: async () => all, rehearses };
  const talk: RunReporter = { ask: async () => true, report };
  const at = { client: cluster.client, types, place: nowhere };
  const thrown = await performPlan(all, at, manner, talk, signal).catch((one: unknown) => one);
  return { thrown, deleted: cluster.deletes.length };
}

test('if an event cannot be reported after a deletion, nothing more is sent, and the exit code says that it was begun', async () => {
  const { thrown, deleted } = await ended('sent', full);
  expect(deleted).toBeGreaterThan(0);
  expect(thrown).toMatchObject({ code: 'cannot-write', exitCode: 4 });
});

test('a failure before any deletion, or in a dry run, says that nothing was deleted', async () => {
  expect((await ended('sent', full, true)).thrown).toMatchObject({ exitCode: 3 });
});

test('an error that is no failure is rethrown', async () => {
  const interrupted = new GcError('interrupted', { code: 'interrupted', exitCode: 130 });
  for (const error of [interrupted, new TypeError('a bug')])
    expect((await ended('sent', error)).thrown).toBe(error);
});

test('an error of ours ends the run and is rethrown', async () => {
  const bug = new TypeError('a bug');
  const find = () => {
    throw bug;
  };
  const types: typeof servedTypes = Object.create(servedTypes, { find: { value: find } });
  expect(await deletedFrom(new FakeCluster(objects), { types })).toEqual({
    thrown: bug,
    deleted: 0,
  });
});

test('after an interruption before the first request nothing is sent', async () => {
  const signal = AbortSignal.abort();
  const { thrown, deleted } = await deletedFrom(new FakeCluster(objects), { signal });
  expect([thrown, deleted]).toMatchObject([{ code: 'interrupted' }, 0]);
});

test('before the requests, only those of the unread kinds are reported that may contain dependents', async () => {
  const unread = (resource: string, apiVersion: string) =>
    ({ reason: 'forbidden', message: `no ${resource}`, resource, apiVersion }) as const;
  const aside = { ...unread('podtemplates', 'v1'), setAside: true } as const;
  const secrets = unread('secrets', 'v1');
  const metrics = unread('pods.metrics.k8s.io', 'metrics.k8s.io/v1beta1');
  const gaps: unknown[] = [];
  await deletedFrom(new FakeCluster(objects), {
    problems: [aside, secrets, secrets, metrics],
    report: (said) => void ('gaps' in said && gaps.push(...said.gaps)),
  });
  expect(gaps).toEqual([aside, secrets]);
});

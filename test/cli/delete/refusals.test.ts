import { describe, expect, test } from 'vitest';
import { deleteOptionsOf } from '../../../src/cli/delete/delete-options.ts';
import { refuseDangerous } from '../../../src/cli/loop/refusals.ts';
import type { DeletionIntent, Plan } from '../../../src/deletion/plan/plan.ts';
import { unreadOf } from '../../../src/deletion/plan/unread-content.ts';
import { isGcError } from '../../../src/errors.ts';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import type { CoverageProblem } from '../../../src/snapshot/coverage.ts';
import { planned } from '../../deletion/plan/planned.ts';
import { by, namespace } from '../../deletion/plan/told.ts';
import { builderOf, configMap, node, pod, widget } from '../../support/builders.ts';

const settings = configMap('settings');
const secrets: CoverageProblem = {
  reason: 'forbidden',
  message: 'cannot list secrets in namespace shop',
  resource: 'secrets',
  apiVersion: 'v1',
};
const metrics: CoverageProblem = {
  reason: 'unavailable',
  message: 'cannot list pods.metrics.k8s.io',
  apiVersion: 'metrics.k8s.io/v1beta1',
};
const volumes: CoverageProblem = {
  reason: 'forbidden',
  message: 'cannot list persistentvolumes',
  resource: 'persistentvolumes',
  apiVersion: 'v1',
};

function withUnread(...problems: CoverageProblem[]): Plan {
  return withProblems(planned([settings], settings), problems);
}

function withProblems(plan: Plan, problems: readonly CoverageProblem[]): Plan {
  return { ...plan, coverage: { ...plan.coverage, complete: problems.length === 0, problems } };
}

const background = deleteOptionsOf({});
const shop = namespace('shop');

test.each<[string, ObjectRecord, Partial<DeletionIntent>, readonly CoverageProblem[]]>([
  ['background', settings, {}, [secrets]],
  ['orphan', settings, { policy: 'Orphan' }, []],
  ['a namespace, whose content goes with any policy', shop, { policy: 'Orphan' }, [secrets]],
])('what could not be read and may go along: %s', (_, target, intent, unread) => {
  const plan = withProblems(planned([target], target, intent), [metrics, secrets, volumes]);
  expect(unreadOf(plan)).toEqual(unread);
});

const aside = (resource: string): CoverageProblem => {
  return { reason: 'forbidden', message: `cannot list ${resource}`, resource, setAside: true };
};
const templates = aside('podtemplates');
const roles = aside('roles.rbac.authorization.k8s.io');

test('kinds that were set aside do not count, but Roles where an operator may have made them', () => {
  const problems = [templates, roles];
  expect(unreadOf(withUnread(...problems))).toEqual([]);
  const lever = widget('lever');
  expect(unreadOf(withProblems(planned([lever], lever), problems))).toEqual([roles]);
});

/** The refusal; undefined when there is none. */
function refusalOf(plan: Plan, flags: Parameters<typeof refuseDangerous>[1]): unknown {
  try {
    refuseDangerous(plan, flags, background);
  } catch (error) {
    if (!isGcError(error)) throw error;
    const { code, exitCode, message, suggestions } = error;
    return { code, exitCode, message, suggestions };
  }
  return undefined;
}

test('a plan with a kind that could not be read is refused, unless that is allowed', () => {
  const plan = withUnread(metrics, secrets);
  expect(refusalOf(plan, {})).toEqual({
    code: 'incomplete',
    exitCode: 3,
    message: 'not everything that would be deleted could be read; nothing was sent',
    suggestions: [
      'cannot list secrets in namespace shop',
      'To delete anyway, without knowing all that is deleted: --allow-incomplete.',
    ],
  });
  expect(refusalOf(plan, { 'allow-incomplete': true })).toBeUndefined();
  expect(refusalOf(withUnread(metrics, volumes), {})).toBeUndefined();
});

describe('pods of kube-system on a Node that goes', () => {
  const worker = node('worker');
  const other = node('other');
  const facts = { nodeName: 'worker', phase: 'Running' };
  const inSystem = { namespace: 'kube-system', facts };
  const proxies = builderOf('apps/v1', 'DaemonSet')('kube-proxy', {
    namespace: 'kube-system',
    facts: {},
  });
  const proxy = pod('kube-proxy-x', { ...by(proxies), ...inSystem });
  const mirror = pod('etcd-worker', {
    ...inSystem,
    annotations: { 'kubernetes.io/config.mirror': 'hash' },
  });
  const dns = pod('coredns-x', inSystem);

  test('do not stop its deletion where they serve this Node alone', () => {
    const plan = planned([worker, other, proxies, proxy, mirror], worker);
    const told = plan.objects.map(({ name, fate, servesNode }) => [name, fate, servesNode]);
    expect(told.sort()).toEqual([
      ['etcd-worker', 'deleted', 'worker'],
      ['kube-proxy-x', 'deleted', 'worker'],
      ['worker', 'deleted', undefined],
    ]);
    expect(refusalOf(plan, {})).toBeUndefined();
  });

  test('stop it where others make them again, or nobody', () => {
    const plan = planned([worker, proxies, proxy, mirror, dns], worker);
    expect(refusalOf(plan, {})).toMatchObject({
      code: 'protected',
      message: 'Pod coredns-x in namespace kube-system would be deleted; nothing was sent',
    });
    expect(refusalOf(plan, { 'allow-protected': true })).toBeUndefined();
  });

  test.each([proxy, mirror])('are protected on their own: $name', (target) => {
    const plan = planned([worker, proxies, proxy, mirror], target);
    expect(refusalOf(plan, {})).toMatchObject({ code: 'protected' });
  });
});

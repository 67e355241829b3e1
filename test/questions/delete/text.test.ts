import { expect, test } from 'vitest';
import type { Plan } from '../../../src/deletion/plan/plan.ts';
import type { RenderOptions } from '../../../src/output/style.ts';
import { planAnswer } from '../../../src/questions/delete/text.ts';
import { planned } from '../../deletion/plan/planned.ts';
import { story } from '../../deletion/plan/story.ts';
import { builderOf, clusterRole, widget } from '../../support/builders.ts';

const now = Date.parse('2026-01-03T00:00:00Z');
const plain: RenderOptions = { colour: false, width: undefined, now };

test('a plan marks cluster-scoped objects, and warnings are before notes', () => {
  const namespace = builderOf('v1', 'Namespace')('shop');
  const role = clusterRole('reader');
  const made: Plan = {
    ...planned([namespace, role, widget('w')], [namespace, role]),
    remarks: [
      { code: 'volume', severity: 'note', message: 'its data stays', objects: [] },
      { code: 'recreated', severity: 'warning', message: 'it comes\nback', objects: [] },
    ],
  };
  expect(planAnswer.tableOf(made, plain)).toMatchInlineSnapshot(`
    "STEP   KIND                                    NAMESPACE   NAME     RESULT            REASON
    0      namespace                               <cluster>   shop     will be deleted   requested; it is marked as being deleted; it is removed once it is empty
    0      clusterrole.rbac.authorization.k8s.io   <cluster>   reader   will be deleted   requested; no finalizers, removed immediately
    1      widget.example.com                      shop        w        will be deleted   namespace shop is being deleted

    Warning: it comes^Jback
    Note: its data stays

    3 objects will be deleted (1 whole namespace, 1 cluster-scoped): 1 ClusterRole, 1 Namespace, 1 Widget.
    "
  `);
});

test('a plan of nothing says so', () => {
  expect(planAnswer.tableOf(planned(story, []), plain)).toBe('nothing to delete\n');
});

test('a long plan has one row for equal objects, and wide has every object', () => {
  const load = builderOf('v1', 'Namespace')('load');
  const settings = Array.from({ length: 1501 }, (_, index) =>
    builderOf('v1', 'ConfigMap')(`settings-${index}`, { namespace: 'load' }),
  );
  const many = planned([load, ...settings], load);
  expect(planAnswer.tableOf(many, plain)).toMatchInlineSnapshot(`
    "STEP   KIND        NAMESPACE   NAME           RESULT            REASON
    0      namespace   <cluster>   load           will be deleted   requested; it is marked as being deleted; it is removed once it is empty
    1      configmap   load        1501 objects   will be deleted   namespace load is being deleted

    1502 objects will be deleted (1 whole namespace): 1501 ConfigMaps, 1 Namespace.
    "
  `);
  expect(planAnswer.tableOf(many, { ...plain, wide: true }).split('\n')).toHaveLength(1502 + 6);
});

test('lost data comes first, and the summary names what blocks and what might be deleted later', () => {
  const claim = builderOf('v1', 'PersistentVolumeClaim')('data', { namespace: 'shop' });
  const token = builderOf('v1', 'Secret')('token', { namespace: 'shop' });
  const made = planned([claim, token], [claim, token]);
  const stuck: Plan['objects'][number] = {
    ...(planned([widget('held')], widget('held')).objects[0] as Plan['objects'][number]),
    fate: 'terminating',
    because: 'requested; the API v1.cats.example.com does not answer',
  };
  const finalized = { kind: 'finalizer', name: 'ex.com/hold' } as const;
  const withOne = (one: typeof stuck) => ({ ...made, objects: [...made.objects, one] });
  expect(planAnswer.tableOf(withOne(stuck), plain)).toMatchInlineSnapshot(`
    "Warning: Unknown whether the data of PersistentVolumeClaim data is deleted: the reclaim policy of its volume was not read.
    Warning: Secret token is lost: no known controller recreates it.

    STEP   KIND                    NAMESPACE   NAME    RESULT            REASON
    0      persistentvolumeclaim   shop        data    will be deleted   requested; no finalizers, removed immediately
    0      secret                  shop        token   will be deleted   requested; no finalizers, removed immediately
    0      widget.example.com      shop        held    will be stuck     requested; the API v1.cats.example.com does not answer

    Note: Unknown whether Secret token is used: no Pod, workload or ServiceAccount does; other kinds were not searched.

    2 objects will be deleted: 1 PersistentVolumeClaim, 1 Secret.
    1 blocked: 1 Widget.
    "
  `);
  const lastOf = (text: string) => text.trimEnd().split('\n').at(-1);
  const then = 'unknown';
  expect(lastOf(planAnswer.tableOf(withOne({ ...stuck, then }), plain))).toBe(
    '1 might be deleted: 1 Widget.',
  );
  expect(lastOf(planAnswer.tableOf(withOne({ ...stuck, blockedBy: [finalized] }), plain))).toBe(
    '1 blocked by finalizer ex.com/hold of Widget/held: 1 Widget.',
  );
});

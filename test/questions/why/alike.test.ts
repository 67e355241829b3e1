import { expect, test } from 'vitest';
import { diagnosedOf, type PrintedLink } from '../../../src/questions/why/document.ts';
import { alikeTogether } from '../../../src/questions/why/said-once.ts';
import { kube } from '../../support/kube.ts';
import { diagnosed, leaseOf, readAt } from '../../why/diagnosed.ts';

const since = '2026-05-30T00:00:00Z';
const left = (name: string, finalizer: string, deletionTimestamp = since) =>
  kube(`v1 ConfigMap ${name}`, { deletionTimestamp, finalizers: [finalizer] });

test('objects that wait for the same are one row, whatever their names and times', async () => {
  const namespace = kube(
    'v1 Namespace shop',
    { deletionTimestamp: since },
    { spec: { finalizers: ['kubernetes'] } },
  );
  const objects = [
    left('a', 'example.com/x'),
    left('b', 'example.com/x', '2026-05-30T00:00:09Z'),
    left('other', 'example.com/y'),
    left('z', 'example.com/x'),
  ];
  const all = await diagnosed('namespace/shop', [namespace, leaseOf(readAt), ...objects]);
  const [content] = diagnosedOf(all).chain.links;
  const names = ({ object }: PrintedLink) => object.name;
  expect(
    alikeTogether(content?.links ?? []).map(({ link, others }) => [
      names(link),
      ...others.map(names),
    ]),
  ).toEqual([['a', 'b', 'z'], ['other']]);
});

import { expect, test } from 'vitest';
import { narrow } from '../../../src/commands/restore/plan-live.ts';
import { parseTargets } from '../../../src/kube/type-argument.ts';
import { OwnerLookup } from '../../../src/restore/relink/relink.ts';
import { servedTypes } from '../../support/builders.ts';
import { kube, ownedBy, saved } from '../saved.ts';

const objects = [
  saved(kube('v1 ConfigMap app', ownedBy('v1 ConfigMap leaf'))),
  saved(kube('v1 ConfigMap part', ownedBy('v1 ConfigMap app'))),
  saved(kube('v1 ConfigMap leaf', ownedBy('v1 ConfigMap part'))),
  saved(kube('v1 Secret key', ownedBy('v1 ConfigMap part'))),
  saved(kube('v1 Secret other')),
];

test.each([
  [['cm/part'], ['app', 'part', 'leaf', 'key']],
  [['secrets'], ['key', 'other']],
  [['secret', 'other'], ['other']],
  [['secret/nothing'], []],
])('%j: what was named, and everything below it', (args, names) => {
  const { targets } = parseTargets(args, servedTypes);
  const left = narrow(objects, targets, new OwnerLookup(servedTypes, objects));
  expect(left.map(({ name }) => name)).toEqual(names);
});

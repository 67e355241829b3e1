import { expect, test } from 'vitest';
import { hasForeignManagers } from '../../../src/restore/relink/field-managers.ts';
import { kube, owner, saved } from '../saved.ts';

const managed = (manager: string, ...fields: readonly string[]) => ({
  manager,
  operation: 'Update',
  fieldsV1: Object.fromEntries(fields.map((field) => [field, {}])),
});
const ofOwner = (uid: string) => ({
  manager: 'kubectl',
  operation: 'Update',
  fieldsV1: { 'f:metadata': { 'f:ownerReferences': { [`k:{"uid":"${uid}"}`]: {} } } },
});
const status = { ...managed('operator', 'f:status'), subresource: 'status' };
const app = 'v1 ConfigMap app';
const controlled = { ownerReferences: [owner('v1 ConfigMap boss', { controller: true })] };

test.each([
  ['no managers that were saved', undefined, [managed('kubectl', 'f:data')], {}, false],
  ['the same', [managed('kubectl', 'f:data')], [managed('kubectl', 'f:data')], {}, false],
  ['other fields', [managed('kubectl', 'f:data')], [managed('kubectl')], {}, true],
  [
    'other fields, of a controller',
    [managed('kubectl', 'f:data')],
    [managed('kubectl')],
    controlled,
    false,
  ],
  ['another manager', [managed('kubectl', 'f:data')], [managed('helm')], {}, false],
  [
    'two managers now',
    [managed('kubectl', 'f:data')],
    [managed('kubectl'), managed('helm')],
    {},
    false,
  ],
  ['other owners', [ofOwner('before')], [ofOwner('now')], {}, false],
  ['other fields of the status', [managed('kubectl'), status], [managed('kubectl')], {}, false],
  ['us', [managed('kubectl', 'f:data')], [managed('kubectl-gc', 'f:data')], {}, true],
  ['us, as before', [managed('kubectl-gc')], [managed('kubectl-gc')], {}, false],
] as const)(
  'an object with %s: is it an earlier run that has to go on?',
  (_, before, now, metadata, isUnfinished) => {
    const object = saved(kube(app, metadata), { fieldManagers: before });
    expect(hasForeignManagers(object, kube(app, { managedFields: now }))).toBe(isUnfinished);
  },
);

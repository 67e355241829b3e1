import { expect, test } from 'vitest';
import { render } from '../../../src/questions/render.ts';
import type { Restoration, RestoredObject } from '../../../src/restore/plan/restoration.ts';

const object = (name: string, changes: Partial<RestoredObject>): RestoredObject => ({
  ...{ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name, uid: `uid-${name}` },
  ...{ wave: 0, action: 'create', because: 'it is not there', references: [], notes: [] },
  ...changes,
});
const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'app', from: 'uid-app', to: '' };

const report: Restoration = {
  apiVersion: 'kubectl-gc/v1',
  kind: 'Restoration',
  coverage: { complete: true, kinds: 1, objects: 3, problems: [] },
  source: { kind: 'files', paths: ['dump'] },
  cluster: { server: 'https://api.example.com', uid: 'u' },
  state: 'performed',
  objects: [
    object('app', { outcome: 'created', newUid: 'new', notes: ['it is new'] }),
    object('part', {
      wave: 1,
      references: [{ ...reference, change: 'to-come', because: '' }],
      asSaved: { action: 'delete', because: 'there is no ConfigMap app', rule: 'GC-22.13' },
      outcome: 'refused',
      message: 'exceeded quota',
    }),
    object('key', {
      outcome: 'not-checked',
      message: 'not checked: namespace missing',
      neededBy: { apiVersion: 'v1', kind: 'Pod', namespace: 'shop', name: 'web', uid: 'w' },
    }),
    object('lost', { wave: 2, action: 'cannot', because: 'its owner is gone' }),
  ],
};
const options = { colour: false, width: undefined, now: 0 };

test('first what the collector would take, then each object in order', async () => {
  expect(await render(report, 'table', options)).toBe(
    [
      'AS SAVED              KIND        NAMESPACE   NAME   RULE       REASON',
      'deleted immediately   configmap   shop        part   GC-22.13   there is no ConfigMap app',
      '',
      'STEP   KIND        NAMESPACE   NAME   ACTION        OWNERS                    REASON',
      '0      configmap   shop        app    created                                 it is new',
      '1      configmap   shop        part   refused       ConfigMap/app (to-come)   exceeded quota',
      '0      configmap   shop        key    not-checked                             not checked: namespace missing; Pod web needs it',
      '2      configmap   shop        lost   cannot                                  its owner is gone',
      '',
    ].join('\n'),
  );
  expect(await render(report, 'wide', options)).toContain('OLD UID    NEW UID');
  expect(await render(report, 'name', options)).toBe(
    'configmap/app\nconfigmap/part\nconfigmap/key\nconfigmap/lost\n',
  );
});

import { expect, test } from 'vitest';
import { eventOwner } from '../../../../src/audit/rules/owner-kinds.ts';
import { ResourceTypes } from '../../../../src/kube/resource-types.ts';
import {
  configMap,
  customType,
  event,
  objectOfType,
  ownedBy,
  pod,
  servedTypes,
} from '../../../support/builders.ts';
import { findingsOf } from '../../../support/findings.ts';

const scheduled = event('scheduled');
const finding = {
  at: 'Pod web-1 > Event scheduled',
  because:
    'the garbage collector does not watch Events: it polls for this one at growing intervals and notices its end late; the API server refuses a core/v1 Event as owner',
  consequences: ['none'],
  gcRule: 'GC-22.10',
  fix: 'remove the reference; Events expire by themselves',
  edits: ['0: removed'],
};

test.each(['v1', 'events.k8s.io/v1'])('an Event of %s is a poor owner', (apiVersion) => {
  const record = pod('web-1', { ownerReferences: [ownedBy(scheduled, { apiVersion })] });
  expect(findingsOf(eventOwner, [record, scheduled])).toEqual([finding]);
});

test('in lower case it is one too', () => {
  const record = pod('web-1', { ownerReferences: [ownedBy(scheduled, { kind: 'event' })] });
  expect(findingsOf(eventOwner, [record, scheduled])).toEqual([
    { ...finding, at: 'Pod web-1 > event scheduled' },
  ]);
});

test('when it has expired, the object is deleted; when Events were not read, that is unknown', () => {
  const record = pod('web-1', { ownerReferences: [ownedBy(scheduled)] });
  expect([
    findingsOf(eventOwner, [record]),
    findingsOf(eventOwner, [record], { unread: ['events', 'events.events.k8s.io'] }),
  ]).toEqual([
    [{ ...finding, consequences: ['deleted on the next pass'], gcRule: 'GC-22.13' }],
    [
      {
        ...finding,
        consequences: ['unknown because an API could not be read'],
        gcRule: 'GC-27',
      },
    ],
  ]);
});

test('an Event of another group, and anything else, may own', () => {
  const meetings = customType('events.calendar.example.com/v1 Event');
  const party = objectOfType(meetings, 'party');
  const types = new ResourceTypes([...servedTypes.all, meetings], { exhaustive: true });
  const records = [party, configMap('guests', { ownerReferences: [ownedBy(party)] })];
  expect(findingsOf(eventOwner, records, { types })).toEqual([]);
});

import { expect, test } from 'vitest';
import type { Requester } from '../../../src/history/deletions/removal.ts';
import { deletedWords } from '../../../src/questions/deleted/deletion-words.ts';
import { deletionsTable } from '../../../src/questions/deleted/deletions-text.ts';
import type { DeletionsItem } from '../../../src/questions/deleted/document.ts';
import { documentHead } from '../../../src/snapshot/snapshot.ts';

const admin: Requester = { user: 'admin', userAgent: 'kubectl' };

function itemAt(at: string, name: string, namespace = 'shop'): DeletionsItem {
  const object = { apiVersion: 'v1', kind: 'Pod', namespace, name, uid: '' };
  return {
    began: {
      object,
      cause: 'request',
      certainty: 'seen',
      at,
      requester: admin,
      because: 'deleted by this request',
      evidence: [],
    },
    objects: [{ object, certainty: 'seen', state: 'deleted', isRecreated: false }],
    collections: [],
  };
}

test('requests of one minute in one namespace share a row, with the time of both', () => {
  const seconds = Array.from({ length: 30 }, (_, at) => `${at}`.padStart(2, '0'));
  const items = [
    ...seconds.map((second) => itemAt(`2026-01-31T12:00:${second}.5Z`, 'web-0')),
    itemAt('2026-01-31T12:01:00Z', 'web-1'),
    itemAt('2026-01-31T12:00:00Z', 'web-1', 'payments'),
  ];
  const head = documentHead('Deletions', 0, items.length, []);
  const report = { ...head, sources: {}, objects: items.length, items };
  const text = deletionsTable(report, { colour: false, width: 120, now: 0 });
  const rows = text.split('\n').filter((line) => line.includes('admin'));
  expect(rows.map((row) => row.split(/ {2,}/).slice(0, 4))).toEqual([
    ['2026-01-31T12:00:00Z to 12:00:29Z', 'admin', 'shop', 'Pod/web-0, 30 times'],
    ['2026-01-31T12:01:00Z', 'admin', 'shop', 'Pod/web-1'],
    ['2026-01-31T12:00:00Z', 'admin', 'payments', 'Pod/web-1'],
  ]);
});

test('of many collections, those with data are named', () => {
  const collections = ['endpoints', 'pods', 'secrets', 'configmaps', 'services'];
  expect(deletedWords({ objects: [], collections }, 3)).toBe(
    'all secrets, configmaps, endpoints and 2 more resources',
  );
});

import { expect, test } from 'vitest';
import { gcHere } from '../support/run-here.ts';
import { validDocument } from './valid-document.ts';

const cluster = '--from examples/clusters/leftovers.yaml --complete --now 2026-01-31T12:00:00Z';

test.each([
  'podgc-preview',
  'podgc-preview --threshold 1 --keep 1 --per owner',
  'podgc-preview --threshold 0 -n nowhere',
  'forecast',
  'forecast --within 1h -n shop',
  'forecast --collector csr-cleaner --collector garbage-collector',
])('%s prints the document that is published', async (line) => {
  const { code, stdout, stderr } = await gcHere(`${line} -o json ${cluster}`);
  expect([line, code], stderr).toEqual([line, 0]);
  validDocument(line.startsWith('forecast') ? 'forecast' : 'podgc-preview', stdout);
});

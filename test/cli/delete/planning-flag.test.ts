import { expect, test } from 'vitest';
import {
  type DeleteFlags,
  deleteOptionsOf,
  planningFlag,
} from '../../../src/cli/delete/delete-options.ts';

test.each<[DeleteFlags, string | undefined]>([
  [{}, undefined],
  [{ yes: true, 'no-backup': true, 'allow-protected': true, 'allow-incomplete': true }, undefined],
  [{ cascade: 'orphan', 'grace-period': '5', timeout: '1m', wait: 'true' }, undefined],
  [{ 'dry-run': 'none' }, undefined],
  [{ 'dry-run': 'client' }, '--dry-run'],
  [{ 'dry-run': 'server' }, '--dry-run'],
  [{ preview: true }, '--preview'],
  [{ compare: true }, '--compare'],
  [{ plan: 'shop.json' }, '--plan'],
  [{ 'max-deletes': '0' }, '--max-deletes'],
  [{ backup: 'kept' }, '--backup'],
  [{ 'backup-recipient': ['age1'] }, '--backup-recipient'],
  [{ order: 'server' }, '--order'],
  [{ wait: 'tree' }, '--wait=tree'],
  [{ wait: 'object' }, '--wait=object'],
])('%j asks for a plan: %s', (flags, flag) => {
  expect(planningFlag(flags, deleteOptionsOf(flags))).toBe(flag);
});

import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { checkedDeleteOptions } from '../../../src/shell/flags/delete-options.ts';
import { rowsOf } from '../../support/rows.ts';

const plain = {
  policy: 'Background',
  gracePeriodSeconds: undefined,
  dryRun: 'none',
  ignoreNotFound: false,
  following: 'tree',
  timeout: undefined,
  maxDeletes: undefined,
  selectedBy: undefined,
  warnings: [],
};

describe('what flags come down to', () => {
  test.each(
    rowsOf(`
      {}                                         | {}
      {cascade: foreground}                      | {policy: Foreground}
      {grace-period: 0}                        | {gracePeriodSeconds: 1}
      {grace-period: -5}                       | {}
      {grace-period: 30}                       | {gracePeriodSeconds: 30}
      {now: 'true'}                              | {gracePeriodSeconds: 1}
      {now: 'false'}                             | {}
      {now: 2026-01-31T12:00:00Z, from: [x.yaml]} | {}
      {all: true}                                | {ignoreNotFound: true}
      {selector: a=b, ignore-not-found: 'false'} | {selectedBy: labels}
      {field-selector: a=b}                      | {ignoreNotFound: true, selectedBy: fields}
      {wait: 'false'}                            | {following: none}
      {wait: 'true'}                             | {}
      {wait: object}                             | {following: object}
      {timeout: 0s}                              | {}
      {timeout: 1m30s}                           | {timeout: 90000}
      {dry-run: server}                          | {dryRun: server}
      {max-deletes: 7}                         | {maxDeletes: 7}
      {cascade: 'false'}    | {policy: Orphan}
      | warning: --cascade=false is deprecated (boolean value) and can be replaced with --cascade=orphan.
      {dry-run: unchanged}  | {dryRun: client} | Warning: --dry-run is deprecated and can be replaced with --dry-run=client.
      {dry-run: 'false'}    | {dryRun: none}
      | Warning: --dry-run=false is deprecated (boolean value) and can be replaced with --dry-run=none.
    `),
  )('%s', (flags = '', differs = '', ...warnings) => {
    expect(checkedDeleteOptions(parse(flags))).toEqual({ ...plain, ...parse(differs), warnings });
  });

  test('--force needs no grace period, and warns', () => {
    const { gracePeriodSeconds, warnings } = checkedDeleteOptions({ force: true });
    expect([gracePeriodSeconds, warnings]).toEqual([
      0,
      [expect.stringMatching(/^Warning: Immediate deletion does not wait/)],
    ]);
  });
});

import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { type AuditOptions, verdictOf } from '../../src/audit/audit.ts';
import type { Severity } from '../../src/audit/rule.ts';
import { rowsOf } from '../support/rows.ts';

interface VerdictInput extends Pick<AuditOptions, 'failOn' | 'allowIncomplete'> {
  readonly severities: readonly Severity[];
  readonly complete: boolean;
}

const clean: VerdictInput = {
  severities: [],
  complete: true,
  failOn: 'error',
  allowIncomplete: false,
};

const cases = rowsOf(`
  nothing was found                          | {}                                     | passed
  an error                                   | severities: [info, error]              | failed
  a warning, where errors count              | severities: [warning]                  | passed
  a warning, where warnings count            | {severities: [warning], failOn: warning} | failed
  info, where warnings count                 | {severities: [info], failOn: warning}  | passed
  an error, where nothing counts             | {severities: [error], failOn: never}   | passed
  not everything was seen                    | complete: false                        | incomplete
  not everything was seen, and nothing counts | {complete: false, failOn: never}      | incomplete
  an error, and not everything was seen      | {severities: [error], complete: false} | failed
  an accepted gap                            | {complete: false, allowIncomplete: true} | passed
  an error and an accepted gap               | {severities: [error], complete: false, allowIncomplete: true} | failed
`);
test.each(cases)('%s', (_, changes = '', verdict) => {
  const { severities, complete, ...options } = { ...clean, ...parse(changes) };
  expect(verdictOf(severities, complete, options)).toBe(verdict);
});

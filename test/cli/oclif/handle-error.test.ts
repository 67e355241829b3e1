import { expect, test, vi } from 'vitest';
import { handleError } from '../../../src/shell/oclif/handle-error.ts';

function told(error: unknown): { readonly code: number; readonly lines: string } {
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  try {
    const code = handleError(error, false);
    return { code, lines: write.mock.calls.map(([text]) => text).join('') };
  } finally {
    write.mockRestore();
  }
}

function errorOf(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error('it did not fail');
}

test('an answer that V8 cannot hold in one text is no bug, and other forms are named', () => {
  const half = 'x'.repeat(2 ** 28);
  const error = errorOf(() => [half, half, half].join(''));
  expect(told(error)).toEqual({
    code: 3,
    lines: expect.stringMatching(/^error: .* 512 MiB, .*\n {2}Take -o json, yaml, name .*\n$/),
  });
});

test('an unexpected error is reported as a bug', () => {
  expect(told(new RangeError('Invalid array length')).lines).toMatch(/\bbug in kubectl gc/);
});

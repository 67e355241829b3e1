import { usageError } from '../../errors.ts';
import type { DeleteFlags } from './delete-options.ts';

const formats = ['name', 'table', 'wide', 'json', 'yaml'] as const;

/** Refuses other values of `-o`, in kubectl's words. */
export function checkOutput({ output = '' }: DeleteFlags): void {
  if (output === '' || formats.some((format) => format === output)) return;
  throw usageError(
    'unknown-output',
    `unexpected -o output mode: ${output}. We only support '-o name'`,
    `kubectl gc also supports: ${formats.filter((format) => format !== 'name').join(', ')}.`,
  );
}

/** Is a document asked for, instead of a deletion? */
export function wantsDocument(flags: DeleteFlags): boolean {
  const { output = '', preview, compare } = flags;
  const isDocument = output !== '' && output !== 'name';
  const rehearses = !['none', undefined].includes(flags['dry-run']);
  return (preview ?? false) || (compare ?? false) || (rehearses && isDocument);
}

import { usageError } from '../../errors.ts';

/** An output format of kubectl that takes a template. */
export interface Template {
  readonly kind: 'jsonpath' | 'custom-columns';
  readonly text: string;
}

/** `-o jsonpath=…` and `custom-columns=…`; undefined for all else. */
export function templateOf(output: string): Template | undefined {
  const match = /^(jsonpath|custom-columns|go-template(?:-file)?|template)(?:=([\s\S]*))?$/.exec(
    output,
  );
  if (!match) return undefined;
  const [, kind = '', text = ''] = match;
  if (kind.includes('template')) {
    throw usageError(
      `-o ${kind} is not supported: the language of its templates is that of Go programs`,
      ['Use -o jsonpath=… or -o custom-columns=…, or give -o json to another program.'],
    );
  }
  if (text === '') {
    throw usageError(`template format specified but no template given: -o ${kind}=`, [
      'For example: -o jsonpath={.items[*].object.name}, or -o custom-columns=NAME:.object.name.',
    ]);
  }
  return { kind: kind as Template['kind'], text };
}

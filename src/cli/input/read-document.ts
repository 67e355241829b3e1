import { usageError } from '../../errors.ts';
import { readWhole } from '../../files/file-bytes.ts';
import { writeErr } from '../terminal/streams.ts';

/** A small YAML or JSON file that the user wrote, `-` for standard input; not valid: a usage error. */
export async function readDocument(path: string, what: string): Promise<unknown> {
  const { parse } = await import('yaml');
  let content: string;
  try {
    content = (await readWhole(path, process.stdin, writeErr)).toString();
  } catch (error) {
    throw usageError(
      'unreadable-file',
      `cannot read the ${what} ${path}: ${(error as Error).message}`,
      `Name a YAML or JSON file that holds the ${what}.`,
    );
  }
  try {
    return parse(content);
  } catch (error) {
    const first = (error as Error).message.split('\n')[0];
    throw usageError('invalid-yaml', `the ${what} ${path} is not YAML: ${first}`);
  }
}

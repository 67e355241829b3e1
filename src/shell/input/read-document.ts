import { errorMessage, GcError, type Suggestion, usageError } from '../../errors.ts';
import { readWhole, reasonUnreadable } from '../../files/file-bytes.ts';
import { ParseFailure } from '../../files/parsing/parse-json.ts';

/** The text of a file that the user named, `-` for standard input; `what` says what it should hold. */
export async function readText(
  path: string,
  what: string,
  suggestion: Suggestion = `Name a file that holds the ${what}.`,
): Promise<string> {
  try {
    return (await readWhole(path)).toString();
  } catch (error) {
    const why = reasonUnreadable(error) ?? errorMessage(error);
    throw new GcError(`cannot read the ${what} ${path}: ${why}`, {
      code: 'unreadable-input',
      suggestions: [suggestion],
      cause: error,
    });
  }
}

/** A small YAML or JSON file that the user wrote, `-` for standard input; not valid: a usage error. */
export async function readDocument(path: string, what: string): Promise<unknown> {
  const { parseYaml } = await import('../../files/parsing/parse-yaml.ts');
  const content = await readText(path, what);
  try {
    return await parseYaml(content);
  } catch (error) {
    if (!(error instanceof ParseFailure)) throw error;
    const { message, lines } = error;
    throw usageError(`the ${what} ${path}, line ${lines + 1}: ${message}`);
  }
}

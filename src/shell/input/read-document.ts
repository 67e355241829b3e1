import { errorMessage, GcError, type Suggestion, usageError } from '../../errors.ts';
import { decodedText, readWhole, reasonUnreadable } from '../../files/input-bytes.ts';

/** The text of a file that the user named, `-` for standard input; `what` says what it should hold. */
export async function readText(
  path: string,
  what: string,
  suggestion?: Suggestion,
): Promise<string> {
  return decodedText(await readBytes(path, what, suggestion));
}

/** The same, not decoded. */
export async function readBytes(
  path: string,
  what: string,
  suggestion: Suggestion = `Name a file that contains the ${what}.`,
): Promise<Buffer> {
  try {
    return await readWhole(path);
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
  const { readDocuments } = await import('../../files/read-documents.ts');
  const values: unknown[] = [];
  for (const { value, fault, line, inArray } of await readDocuments(await readBytes(path, what))) {
    const more = values.length > 0 ? 'a second document' : undefined;
    const wrong = fault ?? (inArray ? 'a list stands where an object is expected' : more);
    if (wrong !== undefined) {
      throw usageError(`the ${what} ${path}, line ${line}: ${wrong}`, [
        'Put one document with one object into the file.',
      ]);
    }
    values.push(value);
  }
  return values[0] ?? null;
}

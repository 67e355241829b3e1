import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';

/** Checks a document against the published schema of SARIF. */
export function sarifValidator() {
  const file = new URL('../fixtures/schemas/sarif-2.1.0-rtm.5.json', import.meta.url);
  // Draft 4 differs from the draft that the validator knows in the name of this keyword alone.
  const { id, $schema: _, ...schema } = JSON.parse(readFileSync(file, 'utf8'));
  return new Ajv({
    strict: false,
    unicodeRegExp: false,
    allErrors: true,
    validateFormats: false,
  }).compile({ ...schema, $id: id });
}

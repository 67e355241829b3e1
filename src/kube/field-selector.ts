import { usageError } from '../errors.ts';
import type { ObjectRecord } from './object-record.ts';

/**
 * kubectl's `--field-selector`, on the two fields that every kind has: metadata.name and
 * metadata.namespace, with `=`, `==` and `!=`.
 */
export function parseFieldSelector(selector: string): (record: ObjectRecord) => boolean {
  const tests = selector
    .split(',')
    .filter((term) => term.trim() !== '')
    .map((term) => {
      const [, field = '', operator, value = ''] =
        /^\s*([^=!\s]+)\s*(==|=|!=)\s*(\S*)\s*$/.exec(term) ?? [];
      const read = fields.get(field);
      if (!operator || !read) {
        throw usageError(
          'invalid-field-selector',
          operator
            ? `field label not supported: ${field}: only metadata.name and metadata.namespace are read of every object`
            : `invalid field selector: "${term.trim()}"`,
          'Write --field-selector metadata.name=web, or select by labels with -l.',
        );
      }
      return (record: ObjectRecord) => (read(record) === value) === (operator !== '!=');
    });
  return (record) => tests.every((test) => test(record));
}

const fields: ReadonlyMap<string, (record: ObjectRecord) => string> = new Map([
  ['metadata.name', (record: ObjectRecord) => record.name],
  ['metadata.namespace', (record: ObjectRecord) => record.namespace],
]);

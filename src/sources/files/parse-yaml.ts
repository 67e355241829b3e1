import type { ErrorCode, ScalarTag } from 'yaml';
import { ParseFailure } from './parse-failure.ts';
import { mayBeOtherThanText, yamlScalar } from './yaml-scalar.ts';

export type ParseYaml = (text: string) => unknown;

/** In our words: the parser's own messages quote the document. */
const faults: Partial<Record<ErrorCode, string>> = {
  BAD_ALIAS: 'an alias without its anchor',
  BAD_DQ_ESCAPE: 'a bad escape in a double-quoted string',
  BAD_INDENT: 'wrong indentation',
  BAD_SCALAR_START: 'a character that no unquoted string may begin with',
  BLOCK_AS_IMPLICIT_KEY: 'a mapping where only one line is allowed',
  BLOCK_IN_FLOW: 'a block inside of brackets',
  MISSING_CHAR: 'a missing quote, bracket, comma, colon or blank',
  MULTILINE_IMPLICIT_KEY: 'a key that spans lines',
  TAB_AS_INDENT: 'a tab in the indentation',
};

const scalarTag = (tag: string, rest: Partial<ScalarTag>): ScalarTag => ({
  tag: `tag:yaml.org,2002:${tag}`,
  resolve: yamlScalar,
  ...rest,
});

const scalarTags: readonly ScalarTag[] = [
  scalarTag('float', { default: true, test: mayBeOtherThanText }),
  scalarTag('int', {}),
  scalarTag('bool', {}),
  scalarTag('null', {}),
  // As they are written: what the API server does with them is its business.
  scalarTag('timestamp', { resolve: (text) => text }),
  scalarTag('binary', { resolve: (text) => text }),
];

/** Loads the YAML parser. It reads one document as Kubernetes does and throws ParseFailure. */
export async function loadYaml(): Promise<ParseYaml> {
  const { parseDocument, Schema } = await import('yaml');
  const schema = new Schema({
    schema: 'failsafe',
    customTags: (tags) => [...tags, ...scalarTags, 'merge'],
  });
  return (text) => {
    try {
      const document = parseDocument(text, {
        version: '1.1',
        schema,
        merge: true,
        prettyErrors: false,
        uniqueKeys: false,
        logLevel: 'error',
      });
      const [error] = document.errors;
      if (error) {
        const fault = faults[error.code];
        const message = fault === undefined ? 'invalid YAML' : `invalid YAML: ${fault}`;
        throw new ParseFailure(message, text, error.pos[0]);
      }
      // Aliases share one object; only what is done with it later may grow, and is counted there.
      const value: unknown = document.toJS({ maxAliasCount: -1 });
      return text.includes('&') ? expanded(value, text) : ownCopy(value);
    } catch (error) {
      if (error instanceof ParseFailure) throw error;
      const message =
        error instanceof RangeError
          ? 'YAML that is nested too deeply'
          : 'invalid YAML: an alias or merge key that leads nowhere';
      throw new ParseFailure(message, text, 0);
    }
  };
}

/** The parser's strings are slices that would keep the whole document alive. */
function ownCopy(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}

/** Aliases written out, unless a few bytes would become very many. */
function expanded(value: unknown, text: string): unknown {
  const limit = 1_000_000 + 20 * text.length;
  let size = 0;
  const count = (part: unknown): void => {
    if (typeof part === 'string') size += part.length;
    else if (Array.isArray(part)) part.forEach(count);
    else if (typeof part === 'object' && part !== null) {
      for (const [key, entry] of Object.entries(part)) {
        size += key.length;
        count(entry);
      }
    }
    size++;
    if (size > limit) {
      throw new ParseFailure('YAML whose aliases would grow beyond measure', text, 0);
    }
  };
  count(value);
  return ownCopy(value);
}

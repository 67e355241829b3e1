import type { ErrorCode, ScalarTag } from 'yaml';
import { linesBefore, ParseFailure } from './parse-failure.ts';
import { mayBeOtherThanText, yamlScalar } from './yaml-scalar.ts';
import { BadYamlValue, yamlValue } from './yaml-value.ts';

const tooDeep = 'YAML that is nested too deeply';
/** Keys inside of keys, which take the parser exponentially long. */
const nestedKeys = /(?:\?\s+){16}/;

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
  RESOURCE_EXHAUSTION: 'it is nested too deeply',
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
  const yaml = await import('yaml');
  const schema = new yaml.Schema({
    schema: 'failsafe',
    customTags: (tags) => [...tags, ...scalarTags],
  });
  const options = {
    version: '1.1',
    schema,
    prettyErrors: false,
    uniqueKeys: false,
    logLevel: 'error',
  } as const;
  return (text) => {
    if (nestedKeys.test(text)) throw new ParseFailure(tooDeep, 0);
    try {
      const document = yaml.parseDocument(text, options);
      const [error] = document.errors;
      if (error) {
        const fault = faults[error.code];
        const message = fault === undefined ? 'invalid YAML' : `invalid YAML: ${fault}`;
        throw new ParseFailure(message, linesBefore(text, error.pos[0]));
      }
      const limit = 1_000_000 + 20 * text.length;
      // The parser's strings are slices that would keep the whole document alive: copy them.
      return JSON.parse(JSON.stringify(yamlValue(yaml, document.contents, limit)));
    } catch (error) {
      if (error instanceof BadYamlValue) throw new ParseFailure(error.message, 0);
      if (error instanceof RangeError) throw new ParseFailure(tooDeep, 0);
      throw error;
    }
  };
}

import type { ErrorCode, Node, Pair, ScalarTag, YAMLMap } from 'yaml';
import { linesBefore, ParseFailure } from './parse-json.ts';

const words: ReadonlyMap<string, string | boolean | number | null> = new Map<
  string,
  string | boolean | number | null
>([
  ...entries(true, 'y Y yes Yes YES true True TRUE on On ON'),
  ...entries(false, 'n N no No NO false False FALSE off Off OFF'),
  ...entries(null, '~ null Null NULL'),
  ['', null],
  ...entries(Number.NaN, '.nan .NaN .NAN'),
  ...entries(Number.POSITIVE_INFINITY, '.inf .Inf .INF +.inf +.Inf +.INF'),
  ...entries(Number.NEGATIVE_INFINITY, '-.inf -.Inf -.INF'),
]);

/** Plain scalars that begin otherwise are strings. */
const mayBeOtherThanText = /^(?:$|[-+.0-9yYnNtTfFoO~])/;

const integers: readonly (readonly [RegExp, number])[] = [
  [/^[-+]?(?:0|[1-9][0-9]*)$/, 10],
  [/^[-+]?0[oO]?[0-7]+$/, 8],
  [/^[-+]?0[xX][0-9a-fA-F]+$/, 16],
  [/^[-+]?0[bB][01]+$/, 2],
];
const float = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;

/**
 * What an unquoted scalar means to Kubernetes. Mirrors resolve() of go.yaml.in/yaml/v2, which
 * sigs.k8s.io/yaml uses: YAML 1.1, but no base 60, and timestamps stay as they are written.
 */
function yamlScalar(text: string): string | boolean | number | null {
  const word = words.get(text);
  if (word !== undefined) return word;
  const first = text.charCodeAt(0);
  const isNumeric =
    first === 0x2b || first === 0x2d || first === 0x2e || (first >= 0x30 && first <= 0x39);
  if (!isNumeric) return text;
  const digits = text.includes('_') ? text.replaceAll('_', '') : text;
  for (const [pattern, base] of integers) {
    if (pattern.test(digits)) return integer(digits, base);
  }
  const number = float.test(digits) ? Number(digits) : Number.NaN;
  return Number.isFinite(number) ? number : text;
}

function integer(digits: string, base: number): number {
  if (base === 10) return Number(digits);
  const sign = digits.startsWith('-') ? -1 : 1;
  return sign * Number.parseInt(digits.replace(/^[-+]?0[oOxXbB]?(?=.)/, ''), base);
}

function entries<T>(value: T, spellings: string): [string, T][] {
  return spellings.split(' ').map((spelling) => [spelling, value]);
}

const tooDeep = 'YAML that is nested too deeply';
/** Keys inside keys, which take the parser exponentially long. */
const nestedKeys = /(?:\?\s+){16}/;

export type ParseYaml = (text: string) => unknown;

/** One document of a file, with the separator and the comments in front of it. */
export interface DocumentText {
  readonly text: string;
  /** 1-based line of its first character. */
  readonly line: number;
}

/** Cuts a file into YAML documents; put together again they are the file. */
export function splitYaml(file: string): DocumentText[] {
  return withLines(file.split(/^(?=---(?:\s|$))/m));
}

/** The parts of a file, each with the line where it begins. */
export function withLines(parts: readonly string[]): DocumentText[] {
  let line = 1;
  return parts.map((text) => {
    const document = { text, line };
    line += text.split('\n').length - 1;
    return document;
  });
}

/** In our words: the parser's own messages quote the document. */
const faults: Partial<Record<ErrorCode, string>> = {
  BAD_ALIAS: 'an alias without its anchor',
  BAD_DQ_ESCAPE: 'a bad escape in a double-quoted string',
  BAD_INDENT: 'wrong indentation',
  BAD_SCALAR_START: 'a character that no unquoted string may begin with',
  BLOCK_AS_IMPLICIT_KEY: 'a mapping where only one line is allowed',
  BLOCK_IN_FLOW: 'a block inside brackets',
  MISSING_CHAR: 'a missing quote, bracket, comma, colon or space',
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

type Yaml = typeof import('yaml');

/** A value and how large it is with all aliases written out. */
interface Sized {
  readonly value: unknown;
  readonly size: number;
}

/** The document means nothing, or too much; the message does not quote it. */
class BadYamlValue extends Error {
  override readonly name = 'BadYamlValue';
}

/**
 * The value of a parsed document, as go.yaml.in/yaml/v2 and sigs.k8s.io/yaml build it: keys become
 * strings, and of equal keys the last counts, merged ones included. A document whose aliases would
 * grow beyond `limit` characters is refused before they do.
 */
function yamlValue(yaml: Yaml, root: Node | null, limit: number): unknown {
  const anchors = new Map<string, Sized>();

  function sizedValue(node: unknown): Sized {
    if (node === null || node === undefined) return { value: null, size: 1 };
    const sized = plainValue(node);
    if (sized.size > limit) {
      throw new BadYamlValue('YAML whose aliases expand too far');
    }
    const { anchor } = node as { readonly anchor?: string };
    if (anchor !== undefined && !yaml.isAlias(node)) anchors.set(anchor, sized);
    return sized;
  }

  function plainValue(node: unknown): Sized {
    if (yaml.isScalar(node)) {
      const { value } = node;
      return { value, size: typeof value === 'string' ? value.length + 1 : 1 };
    }
    if (yaml.isAlias(node)) {
      const target = anchors.get(node.source);
      if (!target) throw new BadYamlValue('invalid YAML: an alias without its anchor');
      return target;
    }
    if (yaml.isMap(node)) return mapOf(node);
    if (!yaml.isSeq(node)) throw new BadYamlValue('invalid YAML');
    let size = 1;
    const value = node.items.map((item) => {
      const sized = sizedValue(item);
      size += sized.size;
      return sized.value;
    });
    return { value, size };
  }

  function mapOf(node: YAMLMap): Sized {
    // Without a prototype __proto__ is a key like any other.
    const value: Record<string, unknown> = Object.create(null);
    let size = 1;
    for (const pair of node.items) {
      size +=
        yaml.isScalar(pair.key) && isMergeKey(pair.key) ? merge(pair, value) : set(pair, value);
    }
    return { value, size };
  }

  function set(pair: Pair, into: Record<string, unknown>): number {
    const key = sizedValue(pair.key).value;
    const sized = sizedValue(pair.value);
    const isKey = typeof key === 'string' || typeof key === 'number' || typeof key === 'boolean';
    if (!isKey) throw new BadYamlValue('invalid YAML: a key that is not a string');
    into[String(key)] = sized.value;
    return sized.size + String(key).length;
  }

  function merge(pair: Pair, into: Record<string, unknown>): number {
    const { value, size } = sizedValue(pair.value);
    // Earlier sources take precedence.
    const sources: readonly unknown[] = Array.isArray(value) ? value.toReversed() : [value];
    for (const source of sources) {
      if (typeof source !== 'object' || source === null || Array.isArray(source)) {
        throw new BadYamlValue('invalid YAML: a merge key without a mapping');
      }
      Object.assign(into, source);
    }
    return size;
  }

  return sizedValue(root).value;
}

function isMergeKey(key: { readonly type?: unknown; readonly value: unknown }): boolean {
  return key.type === 'PLAIN' && key.value === '<<';
}

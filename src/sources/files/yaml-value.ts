import type { Node, Pair, YAMLMap } from 'yaml';

type Yaml = typeof import('yaml');

/** A value and how large it is with all aliases written out. */
interface Sized {
  readonly value: unknown;
  readonly size: number;
}

/** The document means nothing, or too much; the message does not quote it. */
export class BadYamlValue extends Error {
  override readonly name = 'BadYamlValue';
}

/**
 * The value of a parsed document, as go.yaml.in/yaml/v2 and sigs.k8s.io/yaml build it: keys become
 * strings, and of equal keys the last counts, merged ones included. A document whose aliases would
 * grow beyond `limit` characters is refused before they do.
 */
export function yamlValue(yaml: Yaml, root: Node | null, limit: number): unknown {
  const anchors = new Map<string, Sized>();

  function sizedValue(node: unknown): Sized {
    if (node === null || node === undefined) return { value: null, size: 1 };
    const sized = plainValue(node);
    if (sized.size > limit) {
      throw new BadYamlValue('YAML whose aliases would grow beyond measure');
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

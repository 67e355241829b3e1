import { type GcError, usageError } from '../errors.ts';
import { isLabelValue, isQualifiedName } from '../kube/qualified-name.ts';
import { taintEffects } from '../kube/taint.ts';
import type { TaintChange } from '../simulator/change-taints.ts';

/**
 * `NODE=KEY[=VALUE]:EFFECT`, or `NODE=KEY[:EFFECT]-` to take taints off: the latter part as
 * `kubectl taint` takes it, refused in its words.
 */
export function parseTaint(argument: string): { node: string; change: TaintChange } {
  const at = argument.indexOf('=');
  const node = argument.slice(0, Math.max(0, at));
  if (node === '' || node.includes('/')) throw malformed(argument, 'does not say which node');
  const spec = argument.slice(at + 1);
  if (!spec.endsWith('-')) {
    const { effect, ...taint } = parseSpec(argument, spec);
    if (effect === undefined) throw malformed(argument, `invalid taint spec: ${spec}`);
    return { node, change: { add: { ...taint, effect } } };
  }
  const { key, effect } = parseSpec(argument, spec.slice(0, -1));
  return { node, change: { remove: { key, ...(effect !== undefined && { effect }) } } };
}

function parseSpec(argument: string, spec: string) {
  const [pair = '', effect, more] = spec.split(':');
  if (effect !== undefined && more === undefined && !taintEffects.includes(effect)) {
    throw malformed(argument, `invalid taint effect: ${effect}, unsupported taint effect`);
  }
  const [key = '', value = '', extra] = effect === undefined ? [pair] : pair.split('=');
  const isTaint =
    more === undefined && extra === undefined && isQualifiedName(key) && isLabelValue(value);
  if (!isTaint) throw malformed(argument, `invalid taint spec: ${spec}`);
  return { key, ...(value && { value }), effect };
}

function malformed(argument: string, why: string): GcError {
  return usageError(
    'malformed-argument',
    `--taint "${argument}": ${why}`,
    `Write NODE=KEY[=VALUE]:EFFECT, for example worker-1=maintenance:NoExecute; effects are ${taintEffects.join(', ')}.`,
    'A dash at the end takes it off: worker-1=maintenance:NoExecute-.',
  );
}

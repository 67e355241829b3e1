import { printable } from './printable.ts';

/** `kind.group/name`, as kubectl prints names. */
export function printedName(object: {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
}): string {
  const slash = object.apiVersion.indexOf('/');
  const group = slash < 0 ? '' : `.${object.apiVersion.slice(0, slash)}`;
  return printable(`${object.kind.toLowerCase()}${group}/${object.name}`);
}

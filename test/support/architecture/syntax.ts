import { parseAst } from 'rolldown/parseAst';

/** A node of the syntax tree (ESTree with TypeScript's additions). */
export interface Node {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** The syntax tree of a TypeScript or JavaScript module, or of a declaration file. */
export function parseModule(path: string, text: string): Node {
  const lang = /\.d\.m?ts$/.test(path) ? 'dts' : 'ts';
  return parseAst(text, { lang }, path) as unknown as Node;
}

/** Calls `visit` for every node, with its parent and the key it hangs on. */
export function walk(root: Node, visit: (node: Node, parent: Node, key: string) => void): void {
  for (const [key, value] of Object.entries(root)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (!isNode(child)) continue;
      visit(child, root, key);
      walk(child, visit);
    }
  }
}

/** Whether a value met in a node is a node itself. */
export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value;
}

/** Whether an identifier stands for a variable, not for a property or for the name of something declared. */
export function isReference(parent: Node, key: string): boolean {
  if (key === 'property') return parent.computed === true;
  if (key === 'key') return parent.computed === true || parent.shorthand === true;
  return !['imported', 'exported', 'label'].includes(key);
}

/** `a` for an identifier `a` and for `x.a`; empty for everything else. */
export function nameOf(node: unknown): string {
  if (!isNode(node)) return '';
  if (node.type === 'Identifier') return String(node.name);
  if (node.type === 'MemberExpression') return nameOf(node.property);
  return node.type === 'Literal' ? String(node.value) : '';
}

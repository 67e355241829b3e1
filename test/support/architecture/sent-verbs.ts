import { type Node, nameOf, walk } from './syntax.ts';

const changing = new Set(['DELETE', 'PATCH', 'POST', 'PUT']);

/**
 * The methods that change something which a module names to send them: string literals other than
 * types and what something is compared with.
 */
export function sentVerbsOf(tree: Node): string[] {
  const found = new Set<string>();
  walk(tree, (node, { type, operator }) => {
    if (node.type === 'TemplateElement') {
      const { cooked } = node.value as { readonly cooked: string };
      if (changing.has(cooked)) found.add(cooked);
    }
    if (node.type !== 'Literal' || !changing.has(nameOf(node))) return;
    const isCompared = type === 'BinaryExpression' && ['===', '!=='].includes(String(operator));
    if (type !== 'TSLiteralType' && type !== 'SwitchCase' && !isCompared) found.add(nameOf(node));
  });
  return [...found];
}

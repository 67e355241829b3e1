import { isNode, type Node, walk } from './syntax.ts';

/**
 * Every kubectl command of a module whose words are put in without quoting: templates that no
 * shellCommand tags, and texts that are joined with `+` or `concat`. Interpolations read `{}`.
 */
export function unquotedCommandsOf(tree: Node): string[] {
  const found: string[] = [];
  walk(tree, (node, parent) => {
    if (node.type === 'TemplateLiteral' && !isQuoting(parent)) {
      const lines = textOf(node).split('\n');
      found.push(...lines.filter((line) => /kubectl .*\{\}/.test(line)));
    }
    if (isNode(node.left) && node.operator === '+' && endsInCommand(node.left)) {
      found.push(`${textOf(node.left)}{}`);
    }
    const callee = node.type === 'CallExpression' ? (node.callee as Node) : undefined;
    if (callee && isNode(callee.object) && endsInCommand(callee.object)) {
      const { name } = callee.property as Node;
      if (name === 'concat') found.push(`${textOf(callee.object)}{}`);
    }
  });
  return found;
}

function isQuoting({ type, tag }: Node): boolean {
  return type === 'TaggedTemplateExpression' && isNode(tag) && tag.name === 'shellCommand';
}

function endsInCommand(node: Node): boolean {
  return /kubectl /.test(textOf(node));
}

/** The text of a literal or template; of `a + b` that of both. */
function textOf(node: Node): string {
  if (node.type === 'TemplateLiteral') {
    return (node.quasis as readonly { readonly value: { readonly cooked: string } }[])
      .map(({ value }) => value.cooked)
      .join('{}');
  }
  if (node.type === 'BinaryExpression')
    return textOf(node.left as Node) + textOf(node.right as Node);
  return node.type === 'Literal' && typeof node.value === 'string' ? node.value : '';
}

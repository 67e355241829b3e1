import { isNode, type Node, nameOf, walk } from './syntax.ts';

/**
 * Every kubectl command of a module that is not made by shellCommand and printed by printedCommand: texts that
 * hold one, texts that it is joined to, lists of words that begin with kubectl, and templates that a command is
 * put into before it is printed. Interpolations read `{}`.
 */
export function unquotedCommandsOf(tree: Node): string[] {
  const found: string[] = [];
  walk(tree, (node, parent, key) => {
    if (isText(node) && !isMade(parent) && !isDescription(parent, key)) {
      found.push(...textOf(node).split('\n').filter(holdsCommand));
    }
    if (node.type === 'TemplateLiteral' && !isMade(parent)) {
      const parts = node.expressions as readonly Node[];
      if (parts.some(isMade)) found.push(textOf(node));
    }
    if (node.type === 'ArrayExpression') {
      const [first] = node.elements as readonly (Node | null)[];
      if (first && textOf(first) === 'kubectl') found.push('kubectl');
    }
  });
  return found;
}

/** kubectl's own commands that we suggest, ours, and both with a verb that is put in. */
const commands =
  /\bkubectl (\{\}|gc (\{\}|--?[a-z]|[a-z])|(annotate|api-resources|apply|auth|cluster-info|config|create|delete|describe|drain|edit|get|label|logs|patch|replace|rollout|scale|taint)\b)/;

function holdsCommand(line: string): boolean {
  return commands.test(line);
}

function isText({ type, value }: Node): boolean {
  return type === 'TemplateLiteral' || (type === 'Literal' && typeof value === 'string');
}

/** What help and the pages of rules say: no call prints it as the next step. */
const descriptions = new Set(['summary', 'description', 'usage', 'examples', 'advice', 'help']);

const makersOfFlags = new Set(['textFlag', 'repeatedFlag', 'booleanFlag']);

function isDescription({ key, callee }: Node, at: string): boolean {
  const isArgument = at === 'arguments' && isNode(callee) && makersOfFlags.has(nameOf(callee));
  return isArgument || (at === 'value' && descriptions.has(nameOf(key)));
}

function isMade({ type, tag }: Node): boolean {
  return type === 'TaggedTemplateExpression' && isNode(tag) && tag.name === 'shellCommand';
}

/** The text of a literal or template. */
function textOf(node: Node): string {
  if (node.type === 'TemplateLiteral') {
    return (node.quasis as readonly { readonly value: { readonly cooked: string } }[])
      .map(({ value }) => value.cooked)
      .join('{}');
  }
  return node.type === 'Literal' && typeof node.value === 'string' ? node.value : '';
}

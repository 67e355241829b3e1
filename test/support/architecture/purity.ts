import { isReference, type Node, nameOf, walk } from './syntax.ts';

/** Names through which a module reaches the machine, the clock, chance or the locale. */
const impureNames = new Set(
  `Buffer Intl WebSocket __dirname __filename clearImmediate clearInterval clearTimeout console
   crypto fetch global globalThis navigator performance process require setImmediate setInterval
   setTimeout`.split(/\s+/),
);

/** Methods that answer differently from one machine to the next. */
const localeMethods = new Set(
  `localeCompare toLocaleDateString toLocaleLowerCase toLocaleString toLocaleTimeString
   toLocaleUpperCase`.split(/\s+/),
);

/** Every use of the outside world in a module that should be pure, as it would be written. */
export function impuritiesOf(tree: Node): string[] {
  const found = new Set<string>();
  walk(tree, (node, parent, key) => {
    if (node.type === 'Identifier') {
      const name = String(node.name);
      if (localeMethods.has(name) && key === 'property') found.add(`${name}()`);
      if (impureNames.has(name) && isReference(parent, key)) found.add(name);
    }
    if (node.type === 'MetaProperty') found.add('import.meta');
    const called = callOf(node);
    if (called) found.add(called);
  });
  return [...found];
}

function callOf(node: Node): string | undefined {
  const { type, callee, object, property } = node;
  if (type === 'MemberExpression') {
    const path = `${nameOf(object)}.${nameOf(property)}`;
    return path === 'Date.now' || path === 'Math.random' ? `${path}()` : undefined;
  }
  if (nameOf(callee) !== 'Date') return undefined;
  if (type === 'CallExpression') return 'Date()';
  return (node.arguments as readonly Node[]).length === 0 ? 'new Date()' : undefined;
}

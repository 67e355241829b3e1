import { isNode, isReference, type Node, nameOf, walk } from './syntax.ts';

const standardStreams = ['stdout', 'stderr'];
const oclifPrinters = ['log', 'logJson', 'logToStderr', 'warn'];
const descriptorWriters = ['writeSync', 'writeFileSync', 'writeFile', 'appendFileSync'];

/** Every way in which a module writes to stdout or stderr by itself. */
export function streamWritesOf(tree: Node): string[] {
  const found = new Set<string>();
  walk(tree, (node, parent, key) => {
    if (node.name === 'console' && isReference(parent, key)) found.add('console');
    if (node.type !== 'CallExpression') return;
    const callee = node.callee as Node;
    const method = nameOf(callee);
    const target = isNode(callee.object) ? callee.object : undefined;
    const args = node.arguments as readonly Node[];
    if (['write', 'end'].includes(method) && standardStreams.includes(nameOf(target))) {
      found.add(`${nameOf(target)}.${method}()`);
    }
    if (target?.type === 'ThisExpression' && oclifPrinters.includes(method)) {
      found.add(`this.${method}()`);
    }
    if (['pipe', 'pipeline', 'pipeTo'].includes(method)) {
      const stream = args.map(nameOf).find((name) => standardStreams.includes(name));
      if (stream) found.add(`${method}(${stream})`);
    }
    if (descriptorWriters.includes(method) && ['1', '2'].includes(nameOf(args[0]))) {
      found.add(`${method}(${nameOf(args[0])})`);
    }
  });
  return [...found];
}

/**
 * Strongly connected components, those that nothing leads out of first: with edges from owners to
 * dependents, leaves come before what owns them. Tarjan's algorithm with a stack of its own, as
 * chains may be longer than the call stack.
 */
export function strongComponents<T extends object>(
  nodes: readonly T[],
  next: (node: T) => readonly T[],
): T[][] {
  const index = new Map<T, number>();
  const low = new Map<T, number>();
  const onStack = new Set<T>();
  const stack: T[] = [];
  const components: T[][] = [];
  const enter = (node: T): Frame<T> => {
    low.set(node, index.size);
    index.set(node, index.size);
    stack.push(node);
    onStack.add(node);
    return { node, edges: next(node), at: 0 };
  };
  const lower = (node: T, to: number) => low.set(node, Math.min(low.get(node) ?? to, to));

  for (const start of nodes) {
    if (index.has(start)) continue;
    const frames = [enter(start)];
    for (let frame = frames.at(-1); frame; frame = frames.at(-1)) {
      const other = frame.edges[frame.at++];
      if (other) {
        if (!index.has(other)) frames.push(enter(other));
        else if (onStack.has(other)) lower(frame.node, index.get(other) ?? 0);
        continue;
      }
      frames.pop();
      const { node } = frame;
      const parent = frames.at(-1);
      if (parent) lower(parent.node, low.get(node) ?? 0);
      if (low.get(node) !== index.get(node)) continue;
      const component = stack.splice(stack.lastIndexOf(node));
      for (const member of component) onStack.delete(member);
      components.push(component);
    }
  }
  return components;
}

interface Frame<T> {
  readonly node: T;
  readonly edges: readonly T[];
  at: number;
}

import type { Placed, PlacedItem } from '../output/pictures/place-items.ts';

/** Where an arrow key leads; `open` where it has to be opened first, undefined for other keys. */
export function moveOf(
  key: string,
  { items }: Placed,
  at: PlacedItem | undefined,
): PlacedItem | 'open' | 'nowhere' | undefined {
  if (!/^(Arrow(Up|Down|Left|Right)|Home|End)$/.test(key)) return undefined;
  const [first] = items;
  if (!at || !first) return first ?? 'nowhere';
  const column = items.filter(({ depth }) => depth === at.depth).sort((a, b) => a.y - b.y);
  const place = column.indexOf(at);
  switch (key) {
    case 'ArrowUp':
      return column[place - 1] ?? 'nowhere';
    case 'ArrowDown':
      return column[place + 1] ?? 'nowhere';
    case 'Home':
      return first;
    case 'End':
      return column.at(-1) ?? 'nowhere';
    case 'ArrowLeft':
      return items.find(({ item }) => item.children.includes(at.item)) ?? 'nowhere';
    default: {
      if (at.item.hidden.length > 0) return 'open';
      const [child] = at.item.children;
      return items.find(({ item }) => item === child) ?? 'nowhere';
    }
  }
}

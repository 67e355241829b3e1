import type { Layer } from './layers.ts';

/** The table of folders in ARCHITECTURE.md, in the shape of `layers`. */
export function tableOfLayers(markdown: string): Record<string, Layer> {
  const rows = [...markdown.matchAll(/^\| `([a-z]+)` \|(.*)\|$/gm)];
  return Object.fromEntries(
    rows.map(([, folder = '', rest = '']) => {
      const [, below = '', packages = '', pure = ''] = rest.split('|').map((cell) => cell.trim());
      return [folder, { below: listed(below), packages: listed(packages), pure: pure === 'yes' }];
    }),
  );
}

function listed(cell: string): string[] {
  return cell === '—' ? [] : cell.replaceAll('`', '').split(', ');
}

import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { layers } from './support/architecture/layers.ts';
import { tableOfLayers } from './support/architecture/table-of-layers.ts';

describe('ARCHITECTURE.md', () => {
  const page = readFileSync(new URL('../ARCHITECTURE.md', import.meta.url), 'utf8');

  it('shows the table of layers.ts', () => {
    expect(tableOfLayers(page)).toEqual(layers);
    expect(Object.keys(tableOfLayers(page))).toEqual(Object.keys(layers));
  });

  it('notices a row that differs', () => {
    const wrong = page.replace(/^(\| `graph` \|.*\|) kube, snapshot /m, '$1 kube, rules ');
    expect(tableOfLayers(wrong).graph).toEqual({
      below: ['kube', 'rules'],
      packages: [],
      pure: true,
    });
  });
});

describe.each(['ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md'])('%s', (page) => {
  it('links to files that are there', () => {
    const text = readFileSync(new URL(`../${page}`, import.meta.url), 'utf8');
    const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, path]) => path ?? '');
    const broken = links.filter((path) => !existsSync(new URL(`../${path}`, import.meta.url)));
    expect(broken).toEqual([]);
  });
});

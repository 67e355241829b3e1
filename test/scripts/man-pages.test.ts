import { expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { manPages } from '../../scripts/man-pages.ts';
import { manifest } from '../../src/shell/oclif/inlined-manifest.ts';

const pages = manPages(manifest, { version: '1.2.3', description: 'Shows owners' });

test('there is a page for each command, with each of its flags', () => {
  expect(pages.size).toBe(manifest.length + 1);
  for (const { id, flags } of manifest) {
    const page = pages.get(`kubectl-gc-${id.replace(':', '-')}.1`) ?? '';
    // A hidden flag is one that is refused with a reason.
    const missing = Object.values(flags).filter(
      ({ name, hidden }) =>
        !hidden && !page.includes(`\\fB\\-\\-${name.replaceAll('-', '\\-')}\\fR`),
    );
    expect([id, missing]).toEqual([id, []]);
    expect(page).not.toContain('<%=');
  }
});

test('npm is told of each page: it links those that package.json lists, and no folder', () => {
  const listed = packageJson.man.map((path) => path.replace(/^\.\/dist\/man\//, ''));
  expect(listed).toEqual([...pages.keys()].sort());
});

test('a page is what man wants', () => {
  const page = pages.get('kubectl-gc-snapshot-info.1') ?? '';
  expect(page.split('\n').slice(0, 5)).toEqual([
    '.TH KUBECTL-GC-SNAPSHOT-INFO 1 "" "kubectl-gc 1.2.3"',
    '.SH NAME',
    'kubectl\\-gc\\-snapshot\\-info \\- What does a saved snapshot, or any other input, hold?',
    '.SH SYNOPSIS',
    'kubectl gc snapshot info FILE...',
  ]);
});

test('no text is taken for a request', () => {
  const [first] = manifest;
  if (first === undefined) throw new Error('there is no command');
  const odd = { ...first, description: ".SH it's a `trick`\\fB" };
  const page = manPages([odd], { version: '1', description: 'd' }).get(`kubectl-gc-${first.id}.1`);
  expect(page).toContain('\n\\&.SH it\\(aqs a \\(gatrick\\(ga\\efB\n');
});

test('a value that may be left out stands in brackets with its sign', () => {
  const page = pages.get('kubectl-gc-delete.1') ?? '';
  expect(page).toContain('\n\\fB\\-\\-now\\fR\\fI[=TIME]\\fR\n');
  expect(page).toContain('\\fB\\-\\-raw\\fR=\\fIURI\\fR\n');
});

import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { parquetReadObjects } from 'hyparquet';
import { describe, expect, test } from 'vitest';
import { validateXML } from 'xmllint-wasm';
import { parse } from 'yaml';
import { treeReport } from '../../src/questions/owners/document.ts';
import { type Format, render } from '../../src/questions/render.ts';
import { exportTables } from '../../src/questions/snapshot/export-tables.ts';
import { ParquetFile } from '../../src/questions/snapshot/parquet.ts';
import { configMap, graphOf, ownedBy } from '../support/builders.ts';
import { anyNames, auditOf, type Names, plainNames } from '../support/hostile-names.ts';
import { sarifValidator } from '../support/sarif-validator.ts';

/**
 * Whatever a name or message holds, a document has the elements, lines and commands that it has with plain names.
 * A failure prints its seed, which fc.assert takes beside numRuns.
 */
const options = { colour: false, width: undefined, now: Date.parse('2026-01-03T00:00:00Z') };
const runs = { numRuns: 60 };

function treeOf({ object, owner }: Names) {
  const top = configMap(owner);
  const below = configMap(`${object}.`, { ownerReferences: [ownedBy(top)] });
  return treeReport(graphOf([top, below]), [top]);
}

const count = (text: string, what: RegExp) => text.match(what)?.length ?? 0;

/** Characters that a terminal or the log of a job acts on. */
function expectHarmless(text: string): void {
  expect(text).not.toMatch(/[^\n\P{Cc}]|\p{Bidi_Control}|[\u2028\u2029]/u);
  expect(text).not.toMatch(/^\s*(::error::c|::add-mask|##\[|##vso)/m);
}

/** Markdown takes what stands between as many backticks as it is. */
const codeSpans = /(?<![`\\])(`+)(?!`).*?(?<!`)\1(?!`)/g;

/** How many of each there are: lines, and what begins or ends something. */
const structure: readonly [Format, readonly RegExp[]][] = [
  ['table', [/\n/g]],
  ['wide', [/\n/g]],
  ['name', [/\n/g]],
  ['github', [/\n/g, /^::(error|warning|notice) /gm]],
  ['markdown', [/\n/g, /^#/gm, /^\|/gm, /(?<!\\)\|/g, /<(?!br>)[a-z/!]/gi]],
  ['html', [/</g, />/g, /"/g]],
  ['junit', [/</g, />/g, /"/g]],
  ['prometheus', [/\n/g, /^# (HELP|TYPE) /gm, /"/g]],
];

/** Whatever the names, it is the same as with plain ones. */
async function expectSame(of: (names: Names) => Promise<unknown>): Promise<void> {
  const plain = await of(plainNames);
  const property = fc.asyncProperty(anyNames, async (names) => {
    expect(await of(names)).toEqual(plain);
  });
  await fc.assert(property, runs);
}

describe('an audit says the same with hostile names', () => {
  test.each(structure)('-o %s', async (format, patterns) => {
    const of = async (names: Names) => {
      const text = await render(auditOf(names), format, options);
      expectHarmless(text);
      // In the data of a page no "<" stands as itself, so that it ends where its element does.
      const shown = text.replace(/(<script type="application\/json".*?>)[^<]*(<\/script>)/, '$1$2');
      const read = format === 'markdown' ? shown.replace(codeSpans, 'code') : shown;
      return patterns.map((pattern) => count(read, pattern));
    };
    await expectSame(of);
  });

  test('-o junit, to a parser of XML with the schema', async () => {
    const file = new URL('../fixtures/schemas/jenkins-junit.xsd', import.meta.url);
    const schema = [readFileSync(file, 'utf8')];
    await fc.assert(
      fc.asyncProperty(anyNames, async (names) => {
        const contents = await render(auditOf(names), 'junit', options);
        const { errors } = await validateXML({ xml: [{ fileName: 'a.xml', contents }], schema });
        expect(errors).toEqual([]);
      }),
      { numRuns: 10 },
    );
  });

  test('-o sarif, to a validator with the published schema', async () => {
    const validate = sarifValidator();
    await fc.assert(
      fc.asyncProperty(anyNames, async (names) => {
        validate(JSON.parse(await render(auditOf(names), 'sarif', options)));
        expect(validate.errors).toBeNull();
      }),
      runs,
    );
  });

  test.each(['json', 'yaml', 'sarif', 'gitlab'] as const)('-o %s, to a parser', async (format) => {
    const of = async (names: Names) => {
      const text = await render(auditOf(names), format, options);
      expectHarmless(text);
      return shapeOf(format === 'yaml' ? parse(text) : JSON.parse(text));
    };
    await expectSame(of);
  });
});

/** A document without its texts. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, shapeOf(one)]));
}

describe('a tree says the same with hostile names', () => {
  test.each<[Format, readonly RegExp[]]>([
    ['tree', [/\n/g]],
    ['table', [/\n/g]],
    ['dot', [/\n/g, /^ {2}n\d+ \[label=/gm, /^ {2}n\d+ -> n\d+ \[/gm, /(?<!\\)(?:\\\\)*"/g]],
    ['mermaid', [/\n/g, /^ {2}n\d+\["/gm, /"\]$/gm, /"/g, /%%|\$\$|\bfa:/g, /<(?!br\/>)/g]],
  ])('-o %s', async (format, patterns) => {
    const of = async (names: Names) => {
      const text = await render(treeOf(names), format, options);
      expectHarmless(text);
      return patterns.map((pattern) => count(text, pattern));
    };
    await expectSame(of);
  });
});

test('an exported table has the same rows with hostile names, and the names as they are', async () => {
  const [objects] = exportTables;
  if (!objects) throw new Error('there is no table');
  await fc.assert(
    fc.asyncProperty(anyNames, async (names) => {
      const { object, owner } = {
        object: names.object.toWellFormed(),
        owner: names.owner.toWellFormed(),
      };
      const file = new ParquetFile(objects);
      const graph = graphOf([configMap(object), configMap(`${owner}2`)]);
      const pieces = [...file.add(objects.rows(graph, 'one')), file.end()];
      const { buffer } = Uint8Array.from(pieces.flatMap((piece) => [...piece]));
      const rows = await parquetReadObjects({ file: buffer });
      expect(rows.map(({ name }) => name).sort()).toEqual([object, `${owner}2`].sort());
    }),
    { numRuns: 40 },
  );
});

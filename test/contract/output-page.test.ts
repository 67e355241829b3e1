import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { describeCommands } from '../../src/shell/oclif/manifest.ts';
import { markdownTable, replaceSection, withSection } from '../support/document-section.ts';

const page = fileURLToPath(new URL('../../docs/output.md', import.meta.url));
const schemas = new URL('../../schemas/', import.meta.url);

test('docs/output.md lists every format and every schema (npm run update writes both)', async () => {
  const written = withSection(page, 'formats', await formats());
  await expect(replaceSection(written, 'schemas', documents())).toMatchFileSnapshot(page);
});

async function formats(): Promise<string> {
  const rows = (await describeCommands()).flatMap(({ id, flags: { output } }) =>
    output?.type !== 'option'
      ? []
      : [
          [
            `\`${id.replace(':', ' ')}\``,
            quoted([output.helpValue ?? []].flat().flatMap((value) => value.split('|'))),
          ],
        ],
  );
  return markdownTable(['command', '`-o`'], rows.sort());
}

function documents(): string {
  const rows = readdirSync(schemas)
    .sort()
    .map((name) => {
      const schema: Schema = JSON.parse(readFileSync(new URL(name, schemas), 'utf8'));
      // Events of a running deletion are lines of their own, and no documents.
      return [
        `[${name}](../schemas/${name})`,
        quoted(kindsIn(schema)) || 'a line of `delete -o json`',
      ];
    });
  return markdownTable(['schema', '`kind` of the document'], rows);
}

interface Schema {
  readonly properties?: { readonly kind?: { readonly const?: string } };
  readonly anyOf?: readonly { readonly $ref?: string }[];
  readonly $defs?: Readonly<Record<string, Schema>>;
}

/** The kinds of the documents that a schema allows. */
function kindsIn({ properties, anyOf = [], $defs = {} }: Schema): string[] {
  const others = anyOf.flatMap(({ $ref = '' }) => $defs[$ref.replace('#/$defs/', '')] ?? []);
  return [properties?.kind?.const ?? [], others.flatMap(kindsIn)].flat();
}

function quoted(words: readonly string[]): string {
  return words.map((word) => `\`${word}\``).join(', ');
}

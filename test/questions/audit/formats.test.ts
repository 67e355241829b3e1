import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { validateXML } from 'xmllint-wasm';
import type { AuditItem } from '../../../src/questions/audit/document.ts';
import { auditFormats, render } from '../../../src/questions/render.ts';
import { auditedRecords, reportOf } from '../../support/audit-report.ts';
import { configMap, ownedByGone, snapshotOf } from '../../support/builders.ts';
import { sarifValidator } from '../../support/sarif-validator.ts';

const schemas = new URL('../../fixtures/schemas/', import.meta.url);
const options = { colour: false, width: undefined, now: Date.parse('2026-01-03T00:00:00Z') };
const report = reportOf();
const clean = reportOf(auditedRecords.slice(0, 1), {});
const reports = [
  ['with findings', report],
  ['clean', clean],
  ['incomplete', reportOf(auditedRecords.slice(0, 1))],
] as const;

describe('SARIF', () => {
  const validate = sarifValidator();

  test.each(reports)('%s is what the published schema asks for', async (_, one) => {
    validate(JSON.parse(await render(one, 'sarif', options)));
    expect(validate.errors).toBeNull();
  });

  test('a file has its path as an address, a live object a path of its names', async () => {
    const [run] = JSON.parse(await render(report, 'sarif', options)).runs;
    const places = run.results.map(
      ({ locations }: { locations: { physicalLocation: unknown }[] }) =>
        locations[0]?.physicalLocation,
    );
    const region = (startLine: number) => ({ startLine });
    expect(places.slice(2, 4)).toEqual([
      {
        artifactLocation: { uri: 'namespaces/shop/configmap/waived' },
        region: region(1),
      },
      { artifactLocation: { uri: 'shop/%3Cb%3E.yaml' }, region: region(7) },
    ]);
  });
});

describe('JUnit', () => {
  const schema = readFileSync(new URL('jenkins-junit.xsd', schemas), 'utf8');
  const faults = async (contents: string) => {
    const xml = { fileName: 'audit.xml', contents };
    return (await validateXML({ xml: [xml], schema: [schema] })).errors.map(
      ({ message }) => message,
    );
  };

  test.each(reports)('%s is what the published schema asks for', async (_, one) => {
    expect(await faults(await render(one, 'junit', options))).toEqual([]);
  });

  test('the schema would refuse something else', async () => {
    expect((await faults('<testsuites><case/></testsuites>')).length).toBeGreaterThan(0);
  });
});

describe('a name that would act on a terminal or on the log of a job', () => {
  const name = 'a\u001b]52;c;x\u0007\u009b31m\u202eb\n::error::c';
  const owner = { ...ownedByGone('apps/v1 Deployment web'), name };
  const hostile = reportOf([configMap(name, { ownerReferences: [owner] })], {});

  test.each(auditFormats)('is seen and does nothing: -o %s', async (format) => {
    const text = await render(hostile, format, options);
    expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
    expect(text).not.toMatch(/^\s*::error::c/m);
    if (format !== 'prometheus') expect(text).toContain('52;c;x');
  });
});

test('no audit format depends on the order of lists', async () => {
  const { records } = snapshotOf(auditedRecords);
  const reversed = reportOf(records.toReversed());
  for (const format of auditFormats) {
    expect(await render(reversed, format, options)).toBe(await render(report, format, options));
  }
});

describe('a finding', () => {
  const [finding] = reportOf(auditedRecords.slice(1, 2), {}).items;
  const told = (
    change: Partial<AuditItem>,
    format: Parameters<typeof render>[1],
    width?: number,
  ) => {
    const items = finding ? [{ ...finding, ...change }] : [];
    return render({ ...clean, items }, format, { ...options, width });
  };
  const resultOf = (table: string) => table.split('\n')[1]?.split(/ {2,}/)[4];

  const reason = 'never gone: it stays; whatever waits for it waits on';
  const long = 'deleted by pod garbage collection 40 to 80 seconds after it found the Node gone';

  test.each([
    ['table', 200, reason, 'never gone', false],
    ['wide', undefined, reason, 'never gone', true],
    ['table', 200, long, '', true],
    ['table', undefined, long, '', false],
    ['wide', undefined, long, '', true],
  ] as const)('has at most three words as its result: as %s, %s wide: %s', async (...row) => {
    const [format, width, consequence, shown, isWhole] = row;
    const text = await told({ consequence }, format, width);
    const [header = '', cells = ''] = text.split('\n');
    const at = header.indexOf('RESULT');
    expect(cells.slice(at).split(/ {2,}/)[0]).toBe(shown);
    // A result that is a sentence stands behind the message.
    const words = text.replaceAll(/\s+/g, ' ').toLowerCase();
    const end = consequence.split(': ').at(-1)?.toLowerCase() ?? '';
    expect(words.includes(end)).toBe(isWhole);
  });

  const [off, driver] = ['while the cleaner is off', ', unless its driver runs'];
  test.each([
    [undefined, `never collected ${off}`, 'not deleted yet'],
    [200, `never collected ${off}`, 'not deleted yet'],
    [200, `never collected${driver}`, 'not deleted yet'],
    [200, 'never collected: no controller has it', 'never deleted'],
    [200, 'never collected, blocks a foreground deletion for ever', 'never deleted'],
  ])('keeps conditions of results: %s wide: %s', async (...row) => {
    const [width, consequence, shown] = row;
    expect(resultOf(await told({ consequence }, 'table', width))).toBe(shown);
  });

  test('in Markdown: only a command is code, and nothing ends its cell', async () => {
    const fixIn = async (fix: AuditItem['fix']) =>
      (await told({ fix }, 'markdown')).trimEnd().split('\n').at(-1)?.split(' | ').at(-1);
    expect(await fixIn({ summary: 'delete a|b, or *c*' })).toBe('delete a\\|b, or \\*c\\* |');
    expect(await fixIn({ summary: 'x', command: 'kubectl get a_b|c `d`' })).toBe(
      '`` kubectl get a_b\\|c `d` `` |',
    );
    const one = await render(reportOf(auditedRecords.slice(1, 2), {}), 'markdown', options);
    expect(one).toContain('\n1 error, 0 warnings, 0 info; 0 in the baseline, 0 waived.\n');
  });
});

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { pipeWidth } from '../../src/output/tables/column-layout.ts';
import { gcHere } from '../support/run-here.ts';
import { screens } from '../support/screens.ts';
import { transcripts } from '../support/transcripts.ts';

/** Users choose the columns of these; `-o wide` has every column. */
const withoutLimit =
  / (?:-o|--output)[ =]?'?(?:wide|custom-columns|jsonpath|go-template)| -L | --(?:label-columns|show-labels)/;
const header = /^(?:[#~+-] )?[A-Z]{2}[A-Z ]*(?: {2,}[A-Z][A-Z ]+)+$/;

/** The lines of the tables in a text: from a line of headers to an empty one, or to one that stderr printed. */
function tableLines(text: string): string[] {
  let isTable = false;
  return text.split('\n').filter((line) => {
    isTable = header.test(line) || (isTable && line !== '' && !/^(?:# |\$ |\[)/.test(line));
    return isTable;
  });
}

function tooWide(text: string): string[] {
  return tableLines(text).filter((line) => [...line].length > pipeWidth);
}

describe('a table in a pipe is no wider than 160 columns', () => {
  test.each(readdirSync(transcripts))('in the transcript %s', (name) => {
    const [, ...answers] = readFileSync(join(transcripts, name), 'utf8').split(/^(?=\$ gc )/m);
    const limited = answers.filter((answer) => !withoutLimit.test(answer.split('\n', 1)[0] ?? ''));
    expect(limited.flatMap(tooWide)).toEqual([]);
  });

  test.each(Object.entries(screens))('that %s prints', async (_, command) => {
    const { stdout } = await gcHere(command, { NO_COLOR: '1' });
    expect(tooWide(stdout)).toEqual([]);
  });
});

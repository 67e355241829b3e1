import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** Words that texts for users do not have: Kubernetes and kubectl have others for the same. */
const unwanted = [
  /\bgo(?:es)? (?:with|along|by itself|then|too|first|later|away)\b/i,
  /\b(?:objects?|pods?|data) go(?:es)?\b/i,
  /\bcomes? (?:along|back)\b/i,
  /\bma(?:kes?|de) again\b|\bmakes? (?:\w+ ){1,4}again\b/i,
  /\blets? (?:\w+ )?go\b/i,
  /\b(?:holds|held)\b/i,
  /\b(?:is|are) left (?:in|alone)\b/i,
  /\bhangs?\b(?! up)/i,
  /\bat once\b/i,
  /\b(?:is|are) gone\b/i,
  /\b(?:told|tells?)\b/i,
  /\bnothing (?:is )?(?:holds|known|left|of)\b/i,
  /\bby hand\b/i,
  /\bis another\b/i,
  /\bknown of\b/i,
  /\bhave stopped\b/i,
  /\balive\b/i,
  /\bbe rid of\b/i,
  /\bmay be stuck\b/i,
];

/** Strings of the source that hold a blank, without what is put into them. */
function textsOf(line: string): string[] {
  if (/^\s*(?:\/\/|\*|\/\*)|^import |^} from /.test(line)) return [];
  const closed = [...line.matchAll(/(['"`])((?:\\.|(?!\1).)*)\1/g)].map(([, , text = '']) => text);
  const [, open = ''] = /`([^`]*)$/.exec(line) ?? [];
  return [...closed, open]
    .map((text) => text.replaceAll(/\$\{(?:[^{}]|\{[^{}]*\})*(?:\}|$)/g, '…'))
    .filter((text) => text.includes(' '));
}

test('texts for users have the words of Kubernetes', () => {
  const root = new URL('../..', import.meta.url);
  const found = globSync('src/**/*.ts', { cwd: root }).flatMap((path) =>
    readFileSync(new URL(path, root), 'utf8')
      .split('\n')
      .flatMap((line, at) =>
        textsOf(line).flatMap((text) =>
          unwanted.some((word) => word.test(text)) ? [`${path}:${at + 1}: ${text}`] : [],
        ),
      ),
  );
  // The glossary names the states of documents.
  expect(found.filter((line) => !line.includes('In JSON and YAML: '))).toEqual([]);
});

test('the words are found where they stand', () => {
  const value = (name: string) => `$\{${name}}`;
  const line = `const a = \`${value('held')} is gone ${value("told.join(', ')")}\` + 'x';`;
  expect(textsOf(line)).toContain('… is gone …');
});

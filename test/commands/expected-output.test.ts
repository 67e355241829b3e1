import { describe, expect, test } from 'vitest';
import { gcHere } from '../support/run-here.ts';
import { commandLineOf, stories } from './stories.ts';

/**
 * What people see, whole, in every format for reading. `npm run update` rewrites the expected files.
 */
const drawn = ['table', 'wide', 'name', 'tree', 'dot', 'mermaid'];
const listed = ['table', 'wide', 'name'];

describe.each(Object.entries(stories))('%s', (cluster, questions) => {
  test.each(questions)('%s', async (question) => {
    const isGraph = /^(owners|tree) /.test(question);
    const formats = isGraph ? drawn : listed;
    const steps: string[] = [];
    for (const format of formats) {
      const line = commandLineOf(cluster, question, format);
      const { code, stdout, stderr } = await gcHere(line);
      expect(code, stderr).toBe(0);
      steps.push(`$ kubectl gc ${question} -o ${format}\n${stdout}${remarks(stderr)}`);
    }
    const file = question.replaceAll(/[^A-Za-z0-9]+/g, '-');
    await expect(steps.join('\n')).toMatchFileSnapshot(
      `../fixtures/expected/${cluster}/${file}.txt`,
    );
  });
});

function remarks(stderr: string): string {
  return stderr.replaceAll(/^/gm, '# ').replace(/# $/, '');
}

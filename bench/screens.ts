// What a person sees of each command at 80 columns: rows of its help and of its first example on what is bundled, and
// the first line of that. A screen has 24 rows.
//   npm run build && node bench/screens.ts
// To compare with an earlier build: node bench/screens.ts --bin /another/checkout/bin/kubectl-gc.cjs
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { helpExamples, inBash } from '../test/support/help-examples.ts';

const root = new URL('..', import.meta.url).pathname;
const { values } = parseArgs({ options: { bin: { type: 'string' } } });
const bin = values.bin ?? `${root}bin/kubectl-gc.cjs`;

/** Both streams, as a terminal shows them, in the folder of this checkout; what serves until it is interrupted is. */
function shown(line: string): string[] {
  const { stdout, stderr } = spawnSync(
    'bash',
    ['-c', `gc() { timeout 20 "${process.execPath}" "${bin}" "$@"; }; ${line}`],
    {
      cwd: root,
      encoding: 'utf8',
      input: '',
      env: { ...process.env, COLUMNS: '80', NO_COLOR: '1' },
    },
  );
  return `${stdout}${stderr}`.trimEnd().split('\n');
}

const examples = await helpExamples();
const rows = [...new Set(examples.map(({ command }) => command))].map((command) => {
  const help = shown(`gc ${command} --help`);
  const example = examples.find((one) => one.command === command && one.place === 'bundled');
  const answer = example ? shown(inBash(example.line)) : undefined;
  return [
    ...[command, help.length, answer?.length ?? '–'],
    ...[example ? `\`${example.line}\`` : 'needs a cluster or nodes', answer?.[0] ?? ''],
  ];
});
console.log('| command | rows of help | rows | example | first line |');
console.log('| --- | ---: | ---: | --- | --- |');
for (const row of rows) {
  console.log(`| ${row.map((one) => String(one).replaceAll('|', '\\|')).join(' | ')} |`);
}

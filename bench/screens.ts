// What a person sees of each command at 80 columns: rows of its help and of its first example on what is bundled, and
// the first line of that. A screen has 24 rows.
//   npm run build && node bench/screens.ts
// The same of an earlier build, in its checkout: node bench/screens.ts --bin /another/checkout/bin/kubectl-gc.cjs
import { spawnSync } from 'node:child_process';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { helpExamples, inBash } from '../test/support/help-examples.ts';

const { values } = parseArgs({ options: { bin: { type: 'string' } } });
const bin = values.bin ?? new URL('../bin/kubectl-gc.cjs', import.meta.url).pathname;

/** Both streams, as a terminal shows them, in the checkout of the program; what serves until it is interrupted is. */
function shown(line: string): string[] {
  const { stdout, stderr } = spawnSync(
    'bash',
    ['-c', `gc() { timeout 20 "${process.execPath}" "${bin}" "$@"; }; ${line}`],
    {
      cwd: dirname(dirname(bin)),
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

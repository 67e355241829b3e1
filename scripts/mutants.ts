// Changes the code in small ways and counts which changes a unit test detects.
// Usage: node scripts/mutants.ts [--sample N] [--seed N] [--minutes N] [--out FOLDER] [--again FOLDER] [src/PATH …] [test/PATH …]
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { campaign } from './mutants/campaign.ts';
import { instrument, type Mutant } from './mutants/instrument.ts';
import { type Judged, report } from './mutants/report.ts';
import { sample } from './mutants/sample.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: 'string' },
    seed: { type: 'string', default: '1' },
    minutes: { type: 'string', default: '600' },
    out: { type: 'string' },
    again: { type: 'string' },
  },
});

/** Files below the paths of one side, sorted; `first` come first. */
function filesOf(side: string, paths: readonly string[], pattern: string): string[] {
  const own = paths.filter((path) => path.startsWith(`${side}/`));
  return own.flatMap((path) =>
    path.endsWith('.ts')
      ? [path]
      : globSync(`${path.replace(/\/$/, '')}/**/${pattern}`, { cwd: root }).sort(),
  );
}

const rooms = ['controllers', 'simulator', 'deletion', 'restore'];
const sources = filesOf('src', positionals, '*.ts');
const files =
  sources.length > 0
    ? sources
    : filesOf(
        'src',
        rooms.map((room) => `src/${room}`),
        '*.ts',
      );
const tests = filesOf('test', positionals, '*.test.ts');
const others = [
  'why',
  'commands',
  'audit',
  'runner',
  'library',
  'contract',
  'output',
  'questions',
  'snapshot',
  'cluster',
  'files',
];
const testFiles =
  tests.length > 0
    ? tests
    : filesOf(
        'test',
        [...rooms, ...others].map((folder) => `test/${folder}`),
        '*.test.ts',
      );

/** What an earlier run left undetected, as far as the code is the same. */
function survivorsIn(earlier: string, made: readonly Mutant[]): Mutant[] {
  const judged: Judged[] = JSON.parse(readFileSync(join(earlier, 'mutants.json'), 'utf8'));
  const keyOf = ({ file, kind, line, column, after }: Mutant) =>
    [file, kind, line, column, after].join(' ');
  const left = new Set(judged.filter(({ by }) => by === undefined).map(keyOf));
  return made.filter((mutant) => left.has(keyOf(mutant)));
}

/** When no further mutant is tried. Ctrl-C ends the run early, and what it has found so far is reported. */
const deadline = { at: performance.now() + Number(values.minutes) * 60_000 };
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => {
    deadline.at = 0;
    process.once(signal, () => process.exit(130));
  });
}

const folder = values.out ?? mkdtempSync(join(tmpdir(), 'mutants-'));
mkdirSync(folder, { recursive: true });
const tree = join(folder, 'tree');
rmSync(tree, { recursive: true, force: true });
try {
  const made = await instrument(root, tree, files);
  const all = values.again ? survivorsIn(values.again, made) : made;
  const chosen = values.sample ? sample(all, Number(values.sample), Number(values.seed)) : all;
  console.log(
    `${chosen.length} of ${all.length} mutants in ${files.length} files, ${testFiles.length} files of tests`,
  );
  const limits = [20, 150, 1500];
  const outcome = await campaign(tree, folder, chosen, testFiles, limits, deadline);
  const result = report(chosen, outcome);
  console.log(result.text);
  if (values.out)
    writeFileSync(
      join(folder, 'mutants.json'),
      `${JSON.stringify(result.mutants, undefined, 1)}\n`,
    );
} finally {
  rmSync(values.out ? tree : folder, { recursive: true, force: true });
}

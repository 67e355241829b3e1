// How much code a command line runs: what a person has to read who follows it.
//   node bench/road.ts [--files] delete deployment/web -n shop --from examples/clusters/shop.json.gz --preview
// The sources run as they are (Node leaves out the types) under V8's precise coverage. A line counts when it lies in a
// function, or a branch of one, that ran, and is neither blank nor a comment; a file counts when one of its lines does.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

interface FunctionCoverage {
  readonly functionName: string;
  readonly ranges: readonly { startOffset: number; endOffset: number; count: number }[];
}

interface CoverageFile {
  readonly result: readonly { url: string; functions: readonly FunctionCoverage[] }[];
}

const root = fileURLToPath(new URL('..', import.meta.url));
const source = new URL('../src/', import.meta.url).href;
const showsFiles = process.argv[2] === '--files';
const commandLine = process.argv.slice(showsFiles ? 3 : 2);

const folder = mkdtempSync(join(tmpdir(), 'road-'));
try {
  const status = run();
  const lines = new Map(coverage().map(([file, ran]) => [file, ran]));
  const total = [...lines.values()].reduce((sum, ran) => sum + ran, 0);
  if (showsFiles) for (const [file, ran] of lines) console.log(`${ran}\t${file}`);
  console.log(`exit ${status}: ${lines.size} files, ${total} lines ran`);
} finally {
  rmSync(folder, { recursive: true });
}

function run(): number | null {
  const start = join(folder, 'start.mjs');
  writeFileSync(
    start,
    `import { main } from '${source}main.ts';
process.exitCode = await main(process.argv.slice(2), ${JSON.stringify(root)});
`,
  );
  const env = { ...process.env, NODE_V8_COVERAGE: folder };
  const stdio = ['ignore', 'ignore', 'inherit'] as const;
  return spawnSync(process.execPath, [start, ...commandLine], { env, stdio: [...stdio] }).status;
}

/** Each file of `src` that ran, with how many of its lines did. */
function coverage(): [file: string, lines: number][] {
  const ran = new Map<string, number>();
  for (const name of readdirSync(folder).filter((one) => one.startsWith('coverage-'))) {
    const { result } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as CoverageFile;
    for (const { url, functions } of result.filter((one) => one.url.startsWith(source))) {
      const path = fileURLToPath(url);
      const count = linesRun(readFileSync(path, 'utf8'), functions);
      const file = relative(root, path);
      if (count > 0) ran.set(file, Math.max(count, ran.get(file) ?? 0));
    }
  }
  return [...ran].sort(([a], [b]) => (a < b ? -1 : 1));
}

function linesRun(text: string, functions: readonly FunctionCoverage[]): number {
  const covered = new Uint8Array(text.length);
  for (const { functionName, ranges } of functions) {
    // A module's own code declares: it runs as soon as the file is imported.
    const isModule = functionName === '' && ranges[0]?.startOffset === 0;
    if (isModule) continue;
    // Outer ranges come first, so that a branch that did not run is taken out of its function.
    for (const { startOffset, endOffset, count } of ranges) {
      covered.fill(count > 0 ? 1 : 0, startOffset, endOffset);
    }
  }
  let offset = 0;
  let count = 0;
  for (const line of text.split('\n')) {
    const isCode = line.trim() !== '' && !/^\s*(\/\/|\/?\*)/.test(line);
    if (isCode && covered.subarray(offset, offset + line.length).includes(1)) count++;
    offset += line.length + 1;
  }
  return count;
}

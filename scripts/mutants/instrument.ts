import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { cached, fill } from '../release/go-tool.ts';

const version = '10.1.1';

/** Texts are what the program says, not what it decides: tests of whole outputs hold them. */
const excludedMutations = ['StringLiteral'];

export interface Mutant {
  readonly id: string;
  readonly file: string;
  /** From 1, as editors count. */
  readonly line: number;
  readonly column: number;
  readonly kind: string;
  readonly before: string;
  readonly after: string;
}

interface Instrumenter {
  instrument(
    files: readonly { name: string; content: string; mutate: boolean }[],
    options: object,
  ): Promise<{
    files: readonly { name: string; content: string }[];
    mutants: readonly {
      id: string;
      fileName: string;
      mutatorName: string;
      replacement: string;
      status?: string;
      location: { start: Place; end: Place };
    }[];
  }>;
}

/** From 0. */
interface Place {
  readonly line: number;
  readonly column: number;
}

/** Copies the project to `tree`; `files` hold all their mutants there, and a variable turns one of them on. */
export async function instrument(
  root: string,
  tree: string,
  files: readonly string[],
): Promise<Mutant[]> {
  mkdirSync(tree, { recursive: true });
  const left = new Set(
    ['node_modules', 'dist', '.git', 'release', 'test/.tmp'].map((path) => join(root, path)),
  );
  cpSync(root, tree, { recursive: true, filter: (path) => !left.has(path) });
  symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'));
  const sources = files.map((name) => ({
    name,
    content: readFileSync(join(root, name), 'utf8'),
    mutate: true,
  }));
  const contents = new Map(sources.map(({ name, content }) => [name, content]));
  const made = await (await loadInstrumenter()).instrument(sources, {
    plugins: [],
    excludedMutations,
    ignorers: [],
    noHeader: false,
  });
  for (const { name, content } of made.files) writeFileSync(join(tree, name), content);
  return made.mutants
    .filter(({ status }) => status === undefined)
    .map(({ id, fileName, mutatorName, replacement, location }) => ({
      id,
      file: fileName,
      line: location.start.line + 1,
      column: location.start.column + 1,
      kind: mutatorName,
      before: textAt(contents.get(fileName) ?? '', location.start, location.end),
      after: replacement,
    }));
}

function textAt(content: string, start: Place, end: Place): string {
  const lines = content.split('\n').slice(start.line, end.line + 1);
  const last = lines.length - 1;
  return lines
    .map((line, at) =>
      line.slice(at === 0 ? start.column : 0, at === last ? end.column : undefined),
    )
    .join('\n');
}

/** Stryker's mutations, fetched once: nothing but this script needs them. */
async function loadInstrumenter(): Promise<Instrumenter> {
  const folder = cached('tools', `stryker-instrumenter-${version}`);
  const installed = join(folder, 'node_modules', '@stryker-mutator', 'instrumenter');
  if (!existsSync(installed)) fill(folder, install);
  const { createInstrumenter } = await import(
    pathToFileURL(join(installed, 'dist', 'src', 'index.js')).href
  );
  const silent = () => {};
  const logger = {
    isDebugEnabled: () => false,
    isTraceEnabled: () => false,
    isInfoEnabled: () => false,
    debug: silent,
    trace: silent,
    info: silent,
    warn: silent,
    error: console.error,
  };
  const injector = {
    values: { logger } as Record<string, unknown>,
    provideValue(name: string, value: unknown) {
      this.values[name] = value;
      return this;
    },
    injectClass(made: { new (...values: unknown[]): Instrumenter; inject: readonly string[] }) {
      return new made(...made.inject.map((name) => this.values[name]));
    },
  };
  return createInstrumenter(injector);
}

/** Has npm fetch it into a folder; answers the folder. */
function install(folder: string): string {
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  const line = [
    'install',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
    `@stryker-mutator/instrumenter@${version}`,
  ];
  const { status } = spawnSync('npm', line, {
    cwd: folder,
    env: { ...process.env, PATH: [dirname(process.execPath), process.env.PATH].join(delimiter) },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0) {
    throw new Error('npm could not fetch @stryker-mutator/instrumenter; see its message above.');
  }
  return folder;
}

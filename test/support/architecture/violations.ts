import { layers } from './layers.ts';
import { cyclesOf, type Edge, type Module, modulesOf } from './module-graph.ts';
import { unquotedCommandsOf } from './printed-commands.ts';
import { impuritiesOf } from './purity.ts';
import { streamWritesOf } from './stream-writes.ts';

const longestFile = 300;
const vagueFolders = new Set(
  'common core helper helpers lib misc shared types util utils'.split(' '),
);
/** Files directly in src: they sit on top and may import everything, errors.ts nothing. */
const topFiles = new Set(['src/errors.ts', 'src/index.ts', 'src/main.ts']);
const topPackages = ['@oclif/core'];
const onlyWriter = 'src/cli/streams.ts';

/** What names kubectl and is no command, or is made of nothing but the names of our own commands. */
const noCommands = new Set([
  'src/reporters/audit-markdown.ts: ## kubectl gc audit: {}',
  'src/reporters/audit-junit.ts: <testsuites name="kubectl gc audit" {}>',
  'src/reporters/audit-html.ts: <title>kubectl gc audit: {}</title>',
  'src/reporters/audit-html.ts: <h1>kubectl gc audit <span class="badge {}">{}</span></h1>',
  'src/cli/command-line.ts: kubectl gc {}',
  'src/cli/command-line.ts: unknown command "{}" for "kubectl gc {}"',
  'src/cli/command-line.ts: Did you mean: kubectl gc {}',
  'src/cli/restore/restore-options.ts: Backups of kubectl gc delete are below {}.',
  'src/cli/handle-error.ts: error: this is a bug in kubectl gc: {}',
  'src/cli/delete/output.ts: kubectl gc also supports: {}.',
  'src/kube/type-argument.ts: "{}" names {} kinds; {} was taken, as kubectl would. The others: {}',
]);

/** What breaks the architecture in these files (path → text), one sentence each. */
export function violationsOf(files: ReadonlyMap<string, string>): string[] {
  const modules = modulesOf(files);
  const inSrc = modules.filter(({ path }) => path.startsWith('src/'));
  return [
    ...modules.flatMap(shapeProblems),
    ...modules.flatMap((module) => unresolvedImports(module, files)),
    ...inSrc.flatMap(layerProblems),
    ...cyclesOf(inSrc).map((cycle) => `these files import each other in a circle: ${cycle}`),
  ];
}

function shapeProblems({ path, text }: Module): string[] {
  const problems: string[] = [];
  const lines = text.split('\n').length - 1;
  if (lines > longestFile) problems.push(`${path} has ${lines} lines, more than ${longestFile}`);
  for (const folder of path.split('/').slice(1, -1)) {
    if (vagueFolders.has(folder)) problems.push(`${path}: a folder named ${folder} says nothing`);
  }
  return problems;
}

/** An import that leads nowhere we can see would slip past every other rule. */
function unresolvedImports({ path, edges }: Module, files: ReadonlyMap<string, string>): string[] {
  return edges.flatMap(({ specifier, file }) => {
    if (specifier === undefined && path.startsWith('src/'))
      return [`${path} has an import() of something other than a plain string`];
    if (file === undefined || files.has(file) || !/\.m?ts$/.test(file)) return [];
    return [`${path} imports ${file}, which is not there`];
  });
}

function layerProblems(module: Module): string[] {
  const { path, edges, tree } = module;
  const problems = edges.flatMap((edge) => importProblems(path, edge));
  const folder = folderOf(path);
  const layer = layers[folder];
  if (!layer && !topFiles.has(path))
    problems.push(`${path} is in no folder of the table in layers.ts`);
  if (layer?.pure) {
    problems.push(...impuritiesOf(tree).map((use) => `${path} uses ${use}, but ${folder} is pure`));
  }
  const commands = unquotedCommandsOf(tree).filter((text) => !noCommands.has(`${path}: ${text}`));
  problems.push(...commands.map((text) => `${path} prints "${text}" without shellCommand`));
  if (path !== onlyWriter) {
    const writes = streamWritesOf(tree);
    problems.push(
      ...writes.map((write) => `${path} writes with ${write}; only ${onlyWriter} does`),
    );
  }
  return problems;
}

function importProblems(path: string, edge: Edge): string[] {
  const { kind, file, package: name } = edge;
  if (name !== undefined)
    return packageAllowed(path, name) ? [] : [`${path} imports the package ${name}`];
  if (file === undefined || file === 'src/errors.ts') return [];
  const from = folderOf(path);
  const to = folderOf(file);
  if (layers[from]?.below.includes(file)) return [];
  if (!file.startsWith('src/')) return [`${path} imports ${file}, outside src`];
  if (from === 'commands' && to === 'commands') {
    return path === 'src/commands/index.ts'
      ? []
      : [`${path} imports ${file}: commands stand alone`];
  }
  if (from !== 'client' && to === 'client' && kind === 'static') {
    return [`${path} imports ${file} at its top: client is loaded by import() or for types`];
  }
  return mayImport(path, from, file, to)
    ? []
    : [`${path} imports ${file}: ${from} is not above ${to}`];
}

function mayImport(path: string, from: string, file: string, to: string): boolean {
  if (path === 'src/errors.ts') return false;
  if (topFiles.has(path)) return !topFiles.has(file);
  return from === to || (layers[from]?.below.includes(to) ?? false);
}

function packageAllowed(path: string, name: string): boolean {
  if (path === 'src/main.ts') return topPackages.includes(name);
  return layers[folderOf(path)]?.packages.includes(name) ?? false;
}

/** `graph` for src/graph/cycles.ts; the file itself for a file directly in src. */
function folderOf(path: string): string {
  return path.split('/')[1] ?? '';
}

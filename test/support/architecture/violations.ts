import { type Edge, type Module, modulesOf } from './module-graph.ts';
import { unquotedCommandsOf } from './printed-commands.ts';
import { impuritiesOf } from './purity.ts';
import { pureFolders, rooms } from './rooms.ts';
import { streamWritesOf } from './stream-writes.ts';
import { heavyUnitTests } from './unit-tests.ts';

const vagueFolders = new Set(
  'common core helper helpers lib misc shared types util utils'.split(' '),
);
/** Files directly in src: they sit on top and may import everything, errors.ts nothing. */
const topFiles = new Set(['src/errors.ts', 'src/index.ts', 'src/main.ts']);
const topPackages = ['@oclif/core'];
const onlyWriter = 'src/shell/terminal/streams.ts';
/** Loaded on first use, so that a question about files never loads the Kubernetes client. */
const lazyFolder = 'src/cluster/connection/';

/** What names kubectl and is no command that we suggest. */
const noCommands = new Set([
  'src/shell/audit/render-sources.ts: kubectl',
  'src/questions/audit/formats/markdown.ts: ## kubectl gc audit: {}',
  'src/questions/audit/formats/junit.ts: <testsuites name="kubectl gc audit" {}>',
  'src/shell/oclif/run-line.ts: kubectl gc {}',
  'src/shell/oclif/run-line.ts: unknown command "{}" for "kubectl gc {}"',
  'src/shell/completion/kubectl-script.ts: # kubectl runs this file, kubectl_complete-gc, for kubectl gc and the Tab key.',
  `src/commands/delete/targets/target-arguments.ts: there is no need to specify a resource type as a separate argument when passing arguments in resource/name form (e.g. 'kubectl get resource/<resource_name>' instead of 'kubectl get resource resource/<resource_name>'`,
  'src/shell/flags/delete-options.ts: kubectl gc also supports: {}.',
  'src/commands/delete/delete.ts: Takes every flag of kubectl delete with its meaning, and prints its lines. On a',
]);

/**
 * What breaks the architecture in these files (path → text), one sentence each. The linter holds the rest:
 * import cycles, the length of files, Node's modules and globals in pure folders.
 */
export function violationsOf(files: ReadonlyMap<string, string>): string[] {
  const modules = modulesOf(files);
  const inSrc = modules.filter(({ path }) => path.startsWith('src/'));
  return [
    ...modules.flatMap(vagueNames),
    ...modules.flatMap((module) => unresolvedImports(module, files)),
    ...inSrc.flatMap(roomProblems),
    ...heavyUnitTests(modules),
  ];
}

function vagueNames({ path }: Module): string[] {
  const folders = path.split('/').slice(1, -1);
  return folders
    .filter((folder) => vagueFolders.has(folder))
    .map((folder) => `${path}: a folder named ${folder} says nothing`);
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

function roomProblems({ path, edges, tree }: Module): string[] {
  const problems = edges.flatMap((edge) => importProblems(path, edge));
  if (placeOf(path) < 0 && !topFiles.has(path)) problems.push(`${path} is in no room of rooms.ts`);
  const pure = pureFolders.find((folder) => path.startsWith(`src/${folder}/`));
  if (pure !== undefined) {
    problems.push(...impuritiesOf(tree).map((use) => `${path} uses ${use}, but ${pure} is pure`));
  }
  const commands = unquotedCommandsOf(tree).filter((text) => !noCommands.has(`${path}: ${text}`));
  problems.push(
    ...commands.map((text) => `${path} prints "${text}" without shellCommand and printedCommand`),
  );
  if (path !== onlyWriter) {
    const writes = streamWritesOf(tree);
    problems.push(
      ...writes.map((write) => `${path} writes with ${write}; only ${onlyWriter} does`),
    );
  }
  return problems;
}

function importProblems(path: string, { kind, file, package: name }: Edge): string[] {
  if (name !== undefined)
    return packageAllowed(path, name) ? [] : [`${path} imports the package ${name}`];
  if (file === undefined || file === 'src/errors.ts') return [];
  const from = roomOf(path);
  if (rooms[placeOf(path)]?.files?.includes(file)) return [];
  if (!file.startsWith('src/')) return [`${path} imports ${file}, outside src`];
  if (from === 'commands' && roomOf(file) === 'commands') {
    return path === 'src/commands/index.ts' || homeOf(path) === homeOf(file)
      ? []
      : [`${path} imports ${file}: commands stand alone`];
  }
  if (file.startsWith(lazyFolder) && !path.startsWith('src/cluster/') && kind === 'static') {
    return [`${path} imports ${file} at its top: ${lazyFolder} is loaded by import() or for types`];
  }
  const beside = rooms[placeOf(path)]?.imports;
  if (beside && roomOf(file) !== from && !beside.includes(roomOf(file))) {
    return [`${path} imports ${file}: ${from} stands beside the core, and may not`];
  }
  return mayImport(path, file)
    ? []
    : [`${path} imports ${file}: ${from} does not come after ${roomOf(file)}`];
}

function mayImport(path: string, file: string): boolean {
  if (path === 'src/errors.ts') return false;
  if (topFiles.has(path)) return !topFiles.has(file);
  const place = placeOf(file);
  return place >= 0 && place <= placeOf(path);
}

function packageAllowed(path: string, name: string): boolean {
  if (path === 'src/main.ts') return topPackages.includes(name);
  const isPure = pureFolders.some((folder) => path.startsWith(`src/${folder}/`));
  if (isPure && name === 'node') return false;
  return rooms[placeOf(path)]?.packages?.includes(name) ?? false;
}

/** Where the file's room stands in the order; -1 for files that are in none. */
function placeOf(path: string): number {
  return rooms.findIndex(({ name }) => name === roomOf(path));
}

/** `delete` for src/commands/delete/delete.ts and for all of src/commands/delete/. */
function homeOf(path: string): string | undefined {
  return path.split('/')[2]?.replace(/\.ts$/, '');
}

/** `snapshot` for src/audit/cycles.ts; the file itself for a file directly in src. */
function roomOf(path: string): string {
  return path.split('/')[1] ?? '';
}

// Bundles src into dist: the command line (CommonJS, which starts faster), the library and its types.
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { markLooks, marksInOrder } from '../src/output/pages/marks.ts';
import { contentPolicyOf, documentHtml } from '../src/output/pages/page-html.ts';
import { chunkGroups, seldomLoaded } from './chunks.mjs';
import { inlineRequires } from './inline-requires.mjs';
import { lazyDependencies } from './lazy-dependencies.mjs';
import { plainExports } from './plain-exports.mjs';
import { rewritten, visit } from './rewritten.mjs';
import { notePackages, thirdPartyText } from './third-party.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const dist = join(root, 'dist');

/** client-node declares no side effects; without this its 1,000 generated models come along. */
const treeshake = {
  moduleSideEffects: [
    { test: /client-node\/dist\/polyfill/, sideEffects: true },
    { test: /@kubernetes\/client-node/, sideEffects: false },
    { test: /node_modules\/(chalk|ora|yaml|js-yaml|cli-table3)\//, sideEffects: false },
  ],
};

const packages = new Set();
const note = notePackages(packages);

const minify = { compress: true, mangle: false, codegen: true };

/** Help and the argument normaliser need every command's flags; reading them here saves loading every command. */
function inlinedManifest(commands) {
  // Most flags are those of all commands: each is written down once.
  const flags = new Map();
  const numberOf = (flag) => {
    const text = JSON.stringify(flag);
    if (!flags.has(text)) flags.set(text, flags.size);
    return flags.get(text);
  };
  const described = commands.map(({ id, aliases, flags: own, ...told }) => [
    ...[id, aliases, Object.values(own).map(numberOf), JSON.stringify(told)],
  ]);
  const keys = [...new Set(commands.flatMap(Object.keys))].filter(
    (key) => !['id', 'aliases', 'flags'].includes(key),
  );
  const manifest = JSON.stringify({ described, flags: [...flags.keys()] });
  return {
    name: 'inlined-manifest',
    load: (id) =>
      id.endsWith('/src/shell/oclif/inlined-manifest.ts')
        ? `const { described, flags } = JSON.parse(${JSON.stringify(manifest)});
// A command needs its own flags, and a few of others: each is parsed when it is asked for.
const flag = (number) => {
  if (typeof flags[number] === 'string') flags[number] = JSON.parse(flags[number]);
  return [flags[number].name, flags[number]];
};
const once = (make) => {
  let made;
  return () => (made ??= make());
};
export const manifest = described.map(([id, aliases, numbers, text]) => {
  const own = once(() => Object.fromEntries(numbers.map(flag)));
  const told = once(() => JSON.parse(text));
  return { id, aliases, get flags() { return own(); }, ${keys.map((key) => `get ${key}() { return told().${key}; }`).join(', ')} };
});`
        : undefined,
  };
}

/** V8 keeps a text with a single sign beyond Latin-1 in two bytes for each: the heap of a short run is mostly such texts. */
function inAscii() {
  const escaped = (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return rewritten('in-ascii', (code) => code.replaceAll(/[^\0-\x7f]/g, escaped));
}

/**
 * rolldown puts each CommonJS module into a function in parentheses. V8 takes such a function for one that is called at
 * once: it compiles it with the file, and keeps it with all that it compiled, although a run needs few of the modules.
 */
function compiledWhenRun() {
  return rewritten('compiled-when-run', withoutParentheses);
}

/** Around functions that are passed to a call. */
function withoutParentheses(code, name) {
  const signs = code.split('');
  visit(code, name, {
    CallExpression: (call) => {
      for (const { type, expression, start, end } of call.arguments) {
        if (type !== 'ParenthesizedExpression' || !/Function/.test(expression.type)) continue;
        signs[start] = '';
        signs[end - 1] = '';
      }
    },
  });
  return signs.join('');
}

/** At the first use of `performance` Node loads all that measures it, which takes a millisecond: its uptime is as steady. */
function steadyClock() {
  const source = join(root, 'src/');
  return {
    name: 'steady-clock',
    transform: (code, id) =>
      id.startsWith(source)
        ? { code: code.replaceAll('performance.now()', '(process.uptime() * 1000)'), map: null }
        : undefined,
  };
}

/** `version` tells which commit was built: of a checkout, and whether it had changes. */
function inlinedCommit() {
  const describe = ['describe', '--always', '--abbrev=40', '--exclude=*', '--dirty'];
  const { status, stdout } = spawnSync('git', describe, { cwd: root, encoding: 'utf8' });
  const isCheckout = status === 0 && existsSync(join(root, '.git'));
  return {
    name: 'inlined-commit',
    load: (id) =>
      isCheckout && id.endsWith('/src/shell/oclif/build-commit.ts')
        ? `export const commit = ${JSON.stringify(stdout.trim())};`
        : undefined,
  };
}

/** Of package.json, the program needs to know what it is called; what builds and tests it is left out. */
async function inlinedPackage() {
  const { name, version, description, engines, oclif, homepage } = JSON.parse(
    await readFile(join(root, 'package.json'), 'utf8'),
  );
  const code = JSON.stringify({ name, version, description, engines, oclif, homepage });
  return {
    name: 'inlined-package',
    load: (id) => (id === join(root, 'package.json') ? { code, moduleType: 'json' } : undefined),
  };
}

/** The colours of marks as variables of a style; on paper they are those of a light screen. */
function markStyle() {
  const variablesOf = (look) =>
    `:root{${marksInOrder.map((mark) => `--${mark}:${markLooks[mark][look]}`).join(';')}}`;
  return [
    variablesOf('light'),
    `@media screen and (prefers-color-scheme:dark){${variablesOf('dark')}}`,
    ...marksInOrder.map((mark) => `.mark-${mark}{--mark:var(--${mark})}`),
    '',
  ].join('\n');
}

/** An answer brings its table along; a browser shows its page alone. */
const withoutTables = {
  name: 'without-tables',
  resolveId: (id) => (id === 'cli-table3' ? 'no-tables' : undefined),
  load: (id) => (id === 'no-tables' ? 'export default undefined;' : undefined),
};

/** A program of a browser: one script and one style, and the digests that a content security policy names. */
async function browserProgram(folder, styles) {
  const bundle = await rolldown({
    input: join(root, 'src', folder, 'main.ts'),
    platform: 'browser',
    tsconfig: join(root, 'src', folder, 'tsconfig.json'),
    treeshake,
    plugins: [withoutTables, note],
  });
  const { output } = await bundle.generate({ format: 'iife', minify: true });
  const script = output[0].code.trim();
  const texts = styles.map((name) => readFile(join(root, 'src', name), 'utf8'));
  const style = [markStyle(), ...(await Promise.all(texts))]
    .join('')
    .replaceAll(/\s*\n\s*/g, '\n')
    .trim();
  if (/<\/script|<!--/i.test(script)) throw new Error(`${folder} would end its element`);
  const digest = (text) => `sha256-${createHash('sha256').update(text).digest('base64')}`;
  return { script, scriptDigest: digest(script), style, styleDigest: digest(style) };
}

const pageStyles = ['page/rows.css', 'page/page.css', 'page/picture.css'];

/** What runs in pages (`-o html`). */
async function inlinedPageProgram() {
  const program = await browserProgram('page', pageStyles);
  return {
    name: 'inlined-page-program',
    load: (id) =>
      id.endsWith('/src/output/pages/page-program.ts')
        ? `export const pageProgram = ${JSON.stringify(program)};`
        : undefined,
  };
}

/** docs/try.html: the simulator in one page, which asks for nothing. */
async function writeTryPage() {
  const program = await browserProgram('try', [...pageStyles, 'try/try.css']);
  if (/node:|require\(/.test(program.script)) throw new Error('try.html would need Node');
  const page = documentHtml({
    title: 'Try a deletion',
    policy: `${contentPolicyOf({}, program)}; trusted-types 'none'`,
    style: program.style,
    screen: await readFile(join(root, 'src/try/try.html'), 'utf8'),
    rows: '<noscript>This page needs JavaScript.</noscript>',
    script: program.script,
  });
  await writeFile(join(root, 'docs/try.html'), page);
}

async function bundleCommandLine() {
  const { describeCommands } = await import('../src/shell/oclif/manifest.ts');
  const commands = await describeCommands();
  const bundle = await rolldown({
    input: { main: join(root, 'src/main.ts') },
    platform: 'node',
    preserveEntrySignatures: 'allow-extension',
    treeshake,
    plugins: [
      inlinedManifest(commands),
      inlinedCommit(),
      await inlinedPackage(),
      await inlinedPageProgram(),
      lazyDependencies(),
      steadyClock(),
      inlineRequires(),
      compiledWhenRun(),
      plainExports(),
      seldomLoaded(),
      inAscii(),
      note,
    ],
  });
  await bundle.write({
    dir: dist,
    format: 'cjs',
    exports: 'named',
    minify,
    entryFileNames: '[name].cjs',
    chunkFileNames: 'chunks/[name].cjs',
    // The launcher compiles these files as scripts, which cannot import.
    dynamicImportInCjs: false,
    codeSplitting: { groups: chunkGroups(root), includeDependenciesRecursively: false },
  });
  await writeLauncher();
}

/** The launcher knows which bundle it starts: it keeps what V8 compiled of it. */
async function writeLauncher() {
  const digest = createHash('sha256');
  for (const name of ['main.cjs', ...(await bundledChunks())]) {
    digest.update(`${name}\n`).update(await readFile(join(dist, name)));
  }
  const launcher = await readFile(join(root, 'scripts/launch/launch.cjs'), 'utf8');
  await writeFile(
    join(dist, 'launch.cjs'),
    launcher.replace("'BUILD'", `'${digest.digest('hex')}'`),
  );
}

async function bundledChunks() {
  return (await readdir(join(dist, 'chunks'))).sort().map((name) => `chunks/${name}`);
}

async function bundleLibrary() {
  const bundle = await rolldown({
    input: { index: join(root, 'src/index.ts') },
    platform: 'node',
    treeshake,
    plugins: [lazyDependencies(), note],
  });
  await bundle.write({
    dir: dist,
    format: 'esm',
    minify,
    chunkFileNames: 'lib/[name].js',
  });
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  execFileSync(process.execPath, [tsc, '-p', join(root, 'tsconfig.build.json')], {
    stdio: 'inherit',
  });
  await keepOnlyPublicTypes(join(dist, 'types'));
}

/** The compiler writes the types of every file that the library is made of; a program sees those that index.d.ts leads to. */
async function keepOnlyPublicTypes(folder) {
  const seen = new Set();
  const see = async (path) => {
    if (seen.has(path)) return;
    seen.add(path);
    const text = await readFile(path, 'utf8');
    for (const [, specifier] of text.matchAll(/(?:from|import\() ?'(\.[^']+)'/g)) {
      await see(join(dirname(path), specifier.replace(/\.[jt]s$/, '.d.ts')));
    }
  };
  await see(join(folder, 'index.d.ts'));
  for (const file of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(file.parentPath, file.name);
    if (file.isFile() && !seen.has(path)) await rm(path);
  }
}

await rm(dist, { recursive: true, force: true });
await mkdir(dist, { recursive: true });
await bundleCommandLine();
await bundleLibrary();
await writeTryPage();
await writeFile(join(dist, 'THIRD-PARTY-LICENSES.txt'), thirdPartyText(packages));

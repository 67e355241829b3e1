// dist/launch.cjs: starts the bundle of an installed package or a checkout. It is also the main script of a single
// executable, whose assets are the files of the bundle.
'use strict';
const fs = require('node:fs');
const { basename, dirname, isAbsolute, join, sep } = require('node:path');
const { getAsset, isSea } = require('node:sea');
const { Script } = require('node:vm');

/** The build replaces this by a digest of the bundle. */
const build = 'BUILD';
const executable = isSea();
const args = argumentsGiven();
const cache = cacheFile();
const compiled = readCompiled();
const scripts = new Map();
const loaded = new Map();

// Else V8 would drop what it compiled where much is read, and there would be little to keep.
if (cache !== undefined && compiled.size === 0) dropCompiled(false);
const { main } = load('main.cjs');
main(args, executable ? dirname(process.execPath) : join(__dirname, '..')).then((code) => {
  process.exitCode = code;
  keepCompiled();
  // Left to itself, Node takes longer to end. What a slow reader has not taken yet is written first.
  if (process.stdout.writableLength + process.stderr.writableLength === 0) process.exit();
});

function argumentsGiven() {
  const given = process.argv.slice(2);
  // Under the name kubectl_complete-gc, as a link or a copy, the executable answers kubectl and the Tab key.
  const completes = executable && basename(process.argv0).startsWith('kubectl_complete-gc');
  return completes ? ['__complete', ...given] : given;
}

/** @param {string} name of a file of the bundle: main.cjs, chunks/tree.cjs */
function load(name) {
  const known = loaded.get(name);
  if (known !== undefined) return known.exports;
  const module = { exports: {} };
  loaded.set(name, module);
  const filename = executable ? name : __dirname + sep + name.replaceAll('/', sep);
  const text = executable ? getAsset(name, 'utf8') : fs.readFileSync(filename, 'utf8');
  const script = new Script(
    `(function (exports, require, module, __filename, __dirname) {${text}\n})`,
    { filename, cachedData: compiled.get(name) },
  );
  scripts.set(name, script);
  const folder = name.slice(0, name.indexOf('/') + 1);
  const requireFrom = (specifier) =>
    specifier.startsWith('.') ? load(nameFrom(folder, specifier)) : require(specifier);
  script.runInThisContext()(module.exports, requireFrom, module, filename, dirname(filename));
  return module.exports;
}

/**
 * Of `./tree.cjs` and `../main.cjs` in chunks/, and of `./chunks/tree.cjs` beside main.cjs. A run asks a hundred times, and
 * what joins any paths takes a millisecond for that.
 * @param {string} folder empty, or `chunks/`
 * @param {string} specifier
 */
function nameFrom(folder, specifier) {
  return specifier.startsWith('../') ? specifier.slice(3) : folder + specifier.slice(2);
}

/**
 * What V8 compiled, by file of the bundle, when the same command ran before. Node's own compile cache would hold only
 * what is compiled before a file runs, and most functions are compiled at their first call.
 */
function readCompiled() {
  try {
    const kept = readTwice(cache);
    const endOfHeader = kept.indexOf('\n');
    const header = JSON.parse(kept.toString('latin1', 0, endOfHeader));
    if (header.build !== build) return new Map();
    let end = endOfHeader + 1;
    return new Map(
      header.sizes.map(([name, size]) => {
        end += size;
        return [name, kept.subarray(end - size, end)];
      }),
    );
  } catch {
    return new Map();
  }
}

/**
 * V8 believes what it is given, so all of it is in the file twice, and the two are compared: what loads checksums
 * (node:zlib) takes Node longer to load than that.
 * @param {string} path
 */
function readTwice(path) {
  const file = fs.openSync(path);
  try {
    const { size } = fs.fstatSync(file);
    const once = Buffer.allocUnsafeSlow(Math.floor(size / 2));
    let isSame = fs.readSync(file, once) === size / 2;
    const piece = Buffer.allocUnsafeSlow(65536);
    for (let at = 0; isSame && at < once.length; at += piece.length) {
      const length = fs.readSync(file, piece);
      isSame = once.subarray(at, at + piece.length).equals(piece.subarray(0, length));
    }
    if (!isSame) throw new Error('the file is damaged');
    return once;
  } finally {
    fs.closeSync(file);
  }
}

/** Writes what is compiled by now, if this run needed a file that the cache does not have. */
function keepCompiled() {
  // Only the first file tells whether it is another Node: others may be loaded while V8 runs with flags of ours.
  const kept = scripts.get('main.cjs').cachedDataRejected === false ? compiled : new Map();
  const isComplete = [...scripts.keys()].every((name) => kept.has(name));
  // Nothing is kept of a wrong command line.
  if (cache === undefined || isComplete || process.exitCode >= 2) return;
  // What was compiled under other flags is not taken from the cache.
  if (compiled.size === 0) dropCompiled(true);
  const all = new Map(kept);
  for (const [name, script] of scripts) all.set(name, script.createCachedData());
  const sizes = [...all].map(([name, { length }]) => [name, length]);
  const whole = `${cache}.${process.pid}`;
  try {
    fs.mkdirSync(dirname(cache), { recursive: true });
    const file = fs.openSync(whole, 'w');
    try {
      const header = Buffer.from(`${JSON.stringify({ build, sizes })}\n`);
      const once = Buffer.concat([header, ...all.values()]);
      fs.writeFileSync(file, once);
      fs.writeFileSync(file, once);
      // After a crash the file is there as a whole, or not at all.
      fs.fsyncSync(file);
    } finally {
      fs.closeSync(file);
    }
    fs.renameSync(whole, cache);
  } catch {
    if (fs.existsSync(whole)) fs.rmSync(whole);
  }
}

/** @param {boolean} drops whether V8 drops what it compiled and was not called for a while */
function dropCompiled(drops) {
  require('node:v8').setFlagsFromString(drops ? '--flush-bytecode' : '--no-flush-bytecode');
}

/** Undefined where there is nowhere to keep it. Each command has a file: to read what others use would take time, too. */
function cacheFile() {
  const folder = cacheFolder();
  if (folder === undefined || process.env.NODE_DISABLE_COMPILE_CACHE) return undefined;
  const [first = ''] = args;
  const command = /^\w[\w-]*$/.test(first) ? first : 'other';
  return join(folder, 'kubectl-gc', 'compile', `${process.version}-${process.arch}`, command);
}

/**
 * Undefined where there is no home: a user of a container may not even be in /etc/passwd, and HOME may be empty. A
 * home that does not exist, as a system's accounts have it, is not made for a cache.
 */
function cacheFolder() {
  const { XDG_CACHE_HOME = '', HOME } = process.env;
  // The XDG specification has relative paths ignored.
  if (isAbsolute(XDG_CACHE_HOME)) return XDG_CACHE_HOME;
  try {
    const home = HOME || require('node:os').homedir();
    return isAbsolute(home) && fs.existsSync(home) ? join(home, '.cache') : undefined;
  } catch {
    return undefined;
  }
}

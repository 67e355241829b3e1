// The main script of a single executable: the bundle's files are its assets, read when they are required.
'use strict';
const { basename, dirname, posix } = require('node:path');
const { getAsset } = require('node:sea');
const vm = require('node:vm');

// Node warns at the first dynamic import of such a script; people cannot do anything about that.
const { emitWarning } = process;
process.emitWarning = (warning, ...more) => {
  if (!`${warning}`.startsWith('vm.USE_MAIN_CONTEXT_DEFAULT_LOADER ')) {
    emitWarning.call(process, warning, ...more);
  }
};

const loaded = new Map();

/** @param {string} name of an asset: main.cjs, chunks/tree.cjs */
function load(name) {
  const known = loaded.get(name);
  if (known !== undefined) return known.exports;
  const module = { exports: {} };
  loaded.set(name, module);
  const script = new vm.Script(
    `(function (exports, require, module, __filename, __dirname) {${getAsset(name, 'utf8')}\n})`,
    { filename: name, importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER },
  );
  const folder = posix.dirname(name);
  const requireFrom = (specifier) =>
    specifier.startsWith('.') ? load(posix.join(folder, specifier)) : require(specifier);
  script.runInThisContext()(module.exports, requireFrom, module, name, folder);
  return module.exports;
}

// Under the name kubectl_complete-gc, as a link or a copy, it answers kubectl and the Tab key.
const completes = basename(process.argv0).startsWith('kubectl_complete-gc');
const args = process.argv.slice(2);
load('main.cjs')
  .main(completes ? ['__complete', ...args] : args, dirname(process.execPath))
  .then((code) => {
    process.exitCode = code;
    // Left to itself, Node takes longer to end. What a slow reader has not taken yet is written first.
    if (process.stdout.writableLength + process.stderr.writableLength === 0) process.exit();
  });

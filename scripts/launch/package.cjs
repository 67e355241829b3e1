// dist/launch.cjs: starts the bundle of an installed package or a checkout.
'use strict';
const { enableCompileCache } = require('node:module');
const { homedir } = require('node:os');
const { join } = require('node:path');

const cache = cacheFolder();
if (cache !== undefined) enableCompileCache(join(cache, 'kubectl-gc', 'compile'));
const { main } = require('./main.cjs');
main(process.argv.slice(2), join(__dirname, '..')).then((code) => {
  process.exitCode = code;
});

/** Undefined where there is no home: a user of a container may not even be in /etc/passwd. */
function cacheFolder() {
  const { XDG_CACHE_HOME, HOME } = process.env;
  if (XDG_CACHE_HOME) return XDG_CACHE_HOME;
  try {
    return join(HOME || homedir(), '.cache');
  } catch {
    return undefined;
  }
}

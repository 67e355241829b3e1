// dist/launch.cjs: starts the bundle of an installed package or a checkout.
'use strict';
const { existsSync } = require('node:fs');
const { enableCompileCache } = require('node:module');
const { homedir } = require('node:os');
const { isAbsolute, join } = require('node:path');

const cache = cacheFolder();
if (cache !== undefined) enableCompileCache(join(cache, 'kubectl-gc', 'compile'));
const { main } = require('./main.cjs');
main(process.argv.slice(2), join(__dirname, '..')).then((code) => {
  process.exitCode = code;
  // Left to itself, Node takes longer to end. What a slow reader has not taken yet is written first.
  if (process.stdout.writableLength + process.stderr.writableLength === 0) process.exit();
});

/**
 * Undefined where there is no home: a user of a container may not even be in /etc/passwd, and HOME may be empty. A
 * home that does not exist, as a system's accounts have it, is not made for a cache.
 */
function cacheFolder() {
  const { XDG_CACHE_HOME = '', HOME } = process.env;
  // The XDG specification has relative paths ignored.
  if (isAbsolute(XDG_CACHE_HOME)) return XDG_CACHE_HOME;
  try {
    const home = HOME || homedir();
    return isAbsolute(home) && existsSync(home) ? join(home, '.cache') : undefined;
  } catch {
    return undefined;
  }
}

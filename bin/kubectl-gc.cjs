#!/usr/bin/env node
// Old syntax on purpose: this file must parse under any Node to say which one is needed.
'use strict';
var path = require('path');
var root = path.join(__dirname, '..');
var version = process.versions.node.split('.').map(Number);

if (version[0] > 22 || (version[0] === 22 && version[1] >= 19)) {
  launch();
} else {
  runUnderNewerNode();
}

function launch() {
  if (!require('fs').existsSync(path.join(root, 'dist', 'launch.cjs'))) {
    console.error('error: kubectl gc is not built in ' + root + '.');
    console.error('  Run there: npm ci');
    process.exit(3);
  }
  require('../dist/launch.cjs');
}

/** A checkout has a newer Node among its development dependencies; an installed package needs one on the machine. */
function runUnderNewerNode() {
  var node;
  try {
    node = require.resolve('node/bin/node', { paths: [root] });
  } catch (_) {
    console.error(
      'error: kubectl gc needs Node 22.19 or newer; this is Node ' + process.versions.node + '.',
    );
    console.error('  Install a newer Node, or put one first in PATH.');
    process.exit(3);
  }
  var result = require('child_process').spawnSync(
    node,
    [__filename].concat(process.argv.slice(2)),
    { stdio: 'inherit' },
  );
  if (result.error) {
    console.error('error: cannot start ' + node + ': ' + result.error.message);
    process.exit(3);
  }
  if (result.signal) process.kill(process.pid, result.signal);
  process.exit(result.status);
}

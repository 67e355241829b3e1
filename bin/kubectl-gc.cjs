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
    console.error('  Run there: npm ci && npm run build');
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
  var child;
  var received;
  // Ctrl-C on a terminal reaches the child by itself, too: as TERM the child can tell the two apart.
  var passed = { SIGINT: 'SIGTERM', SIGTERM: 'SIGTERM', SIGHUP: 'SIGHUP' };
  Object.keys(passed).forEach(function (signal) {
    process.on(signal, function () {
      received = signal;
      child.kill(passed[signal]);
    });
  });
  process.env.KUBECTL_GC_LAUNCHER = String(process.pid);
  child = require('child_process').spawn(node, [__filename].concat(process.argv.slice(2)), {
    stdio: 'inherit',
  });
  child.on('error', function (error) {
    console.error('error: cannot start ' + node + ': ' + error.message);
    process.exit(3);
  });
  child.on('exit', function (code, signal) {
    if (!signal) process.exit(code);
    var ending = received || signal;
    process.removeAllListeners(ending);
    process.kill(process.pid, ending);
  });
}

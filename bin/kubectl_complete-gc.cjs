#!/usr/bin/env node
// kubectl runs this program for `kubectl gc` and the Tab key. Old syntax, as in kubectl-gc.cjs.
'use strict';
process.argv.splice(2, 0, '__complete');
require('./kubectl-gc.cjs');

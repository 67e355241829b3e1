/** oclif asks each time whether this is WSL, and where PowerShell lies only on Windows: the rest needs child_process. */
const wslUtils = `
export { default as isWsl } from 'is-wsl';
export const powerShellPath = async () => (await import('wsl-utils')).powerShellPath();`;

/** Colours ask at once what reads them, and Node's tty needs its sockets: only a terminal is a character device. */
const tty = `
import { fstatSync } from 'node:fs';
export const isatty = (fd) => fstatSync(fd).isCharacterDevice() && require('node:tty').isatty(fd);
export default { isatty };`;

const asksForTerminal = /\/node_modules\/(debug|supports-color|chalk)\//;

/** The rest of undici is HTTP/2, another fetch, its caches and its mocks, which take long to load. */
const undici = `
import request from 'undici/lib/api/api-request.js';
import connect from 'undici/lib/api/api-connect.js';
import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';
export { default as buildConnector } from 'undici/lib/core/connect.js';
export { default as Client } from 'undici/lib/dispatcher/client.js';
export { default as Pool } from 'undici/lib/dispatcher/pool.js';
// As its index does.
Object.assign(Dispatcher.prototype, { request, connect });`;

const standIns = {
  'wsl-utils': wslUtils,
  tty,
  'node:tty': tty,
  undici,
  './client-h2.js': 'module.exports = undefined;',
};

/** Replaces those imports by what a run needs of the package. */
export function neededParts() {
  const prefix = '\0needed:';
  return {
    name: 'needed-parts',
    resolveId: (source, importer = '') => {
      const isReplaced =
        (source === 'wsl-utils' && importer.includes('@oclif')) ||
        (/^(node:)?tty$/.test(source) && asksForTerminal.test(importer)) ||
        (source === 'undici' && !importer.includes('node_modules')) ||
        (source === './client-h2.js' && importer.includes('undici'));
      return isReplaced ? prefix + source : undefined;
    },
    load: (id) =>
      id.startsWith(prefix)
        ? { code: standIns[id.slice(prefix.length)], moduleType: 'js' }
        : undefined,
  };
}

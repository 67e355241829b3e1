import { createRequire } from 'node:module';

// Libraries that client-node imports at its top: the one that its agent for SOCKS needs, and those that nobody does,
// because another file of src does their work: http-exchange.ts, kubeconfig.ts, create-agent.ts and oidc.ts.
const seldom = new Set(['socks-proxy-agent']);
export const leftOut = new Set([
  ...['hpagent', 'isomorphic-ws', 'js-yaml', 'jsonpath-plus', 'openid-client', 'socks', 'undici'],
]);

/** oclif asks each time whether this is WSL, and where PowerShell lies only on Windows: the rest needs child_process. */
const wslUtils = `
export { default as isWsl } from 'is-wsl';
export const powerShellPath = async () => (await import('wsl-utils')).powerShellPath();`;

/** Colours ask at once what reads them, and Node's tty needs its sockets: only a terminal is a character device. */
const tty = `
import { fstatSync } from 'node:fs';
export const isatty = (fd) => fstatSync(fd).isCharacterDevice() && require('node:tty').isatty(fd);
export default { isatty };`;

/**
 * V8 takes 90 ms to compile what ora measures texts with, whose pattern names all emoji, while the cluster answers. The
 * version that tables bring along takes 5 ms.
 */
const olderWidth = createRequire(import.meta.url).resolve('string-width');

/** A table measures each text several times, and nearly all are narrow: the pattern of all emoji takes 5 to 10 ms for 50 rows. */
const tableWidth = `
const narrow = /^[\\x20-\\x7e\\u2010-\\u2027\\u2190-\\u22ff\\u2500-\\u257f]*$/;
module.exports = (text) => narrow.test(text) ? text.length : require(${JSON.stringify(olderWidth)})(text);`;

const asksForTerminal = /\/node_modules\/(debug|supports-color|chalk)\//;

const standIns = { 'wsl-utils': wslUtils, tty, 'node:tty': tty, 'string-width': tableWidth };

/**
 * Replaces those imports by stand-ins that load the package at the first use: when one of its exports is
 * constructed, called, or looked into. A package that is left out says so then.
 */
export function lazyDependencies() {
  const prefix = '\0lazy:';
  return {
    name: 'lazy-dependencies',
    resolveId: (source, importer = '') => {
      if (source === 'string-width' && importer.includes('/node_modules/ora/')) return olderWidth;
      if (source === 'string-width' && importer.includes('/cli-table3/')) return prefix + source;
      if (source === 'wsl-utils' && importer.includes('@oclif')) return prefix + source;
      if (/^(node:)?tty$/.test(source) && asksForTerminal.test(importer)) return prefix + source;
      const isLazy =
        importer.includes('client-node') && (seldom.has(source) || leftOut.has(source));
      return isLazy ? prefix + source : undefined;
    },
    load: async (id) => {
      if (!id.startsWith(prefix)) return undefined;
      const name = id.slice(prefix.length);
      const code = standIns[name] ?? (await standIn(name));
      return { code, moduleType: 'js', moduleSideEffects: false };
    },
  };
}

/**
 * A module with the exports of the package, of which each is a stand-in. They are named one by one: of an object
 * that makes them up when they are asked for, a bundler copies none.
 */
async function standIn(name) {
  const exported = Object.keys(await import(name)).filter((key) => /^[A-Za-z_$][\w$]*$/.test(key));
  const standIns = exported
    .filter((key) => key !== 'default')
    .map(
      (key, index) => `
const $${index} = /* @__PURE__ */ $lazy(() => $load().${key});
export { $${index} as ${key} };`,
    );
  const load = leftOut.has(name)
    ? `{ throw new Error(${JSON.stringify(`the bundle leaves ${name} out`)}); }`
    : `require(${JSON.stringify(name)})`;
  return `
const $load = () => ${load};
const $lazy = (value) => new Proxy(function () {}, {
  construct: (_, args) => Reflect.construct(value(), args),
  apply: (_, self, args) => Reflect.apply(value(), self, args),
  get: (_, property) => value()[property],
});${standIns.join('')}
export default /* @__PURE__ */ $lazy(() => $load().default ?? $load());
`;
}

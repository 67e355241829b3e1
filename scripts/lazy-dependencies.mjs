// Network libraries that client-node imports at its top and few users need: proxies, OIDC, its own fetch.
const names = new Set([
  'undici',
  'socks',
  'socks-proxy-agent',
  'hpagent',
  'openid-client',
  'jsonpath-plus',
  'isomorphic-ws',
  'ws',
  'stream-buffers',
  'tar-fs',
  'form-data',
  'node-fetch',
]);

/**
 * Replaces those imports by stand-ins that load the package at the first use: as a class that is
 * constructed, a function that is called, or an object of which something is read.
 */
export function lazyDependencies() {
  const prefix = '\0lazy:';
  return {
    name: 'lazy-dependencies',
    resolveId: (source, importer) =>
      names.has(source) && importer?.includes('client-node') ? prefix + source : undefined,
    load(id) {
      if (!id.startsWith(prefix)) return undefined;
      const name = id.slice(prefix.length);
      return {
        code: standIn(name),
        moduleType: 'js',
        moduleSideEffects: false,
      };
    },
  };
}

/** CommonJS with a proxy for exports: any named import resolves to a proxy of its own. */
function standIn(name) {
  return `
const load = () => require(${JSON.stringify(name)});
const lazy = (key) => new Proxy(function () {}, {
  construct: (_, args) => Reflect.construct(load()[key], args),
  apply: (_, self, args) => Reflect.apply(load()[key], self, args),
  get: (_, property) => load()[key][property],
});
module.exports = new Proxy({}, {
  get: (_, key) => (key === '__esModule' ? true : key === 'default' ? lazy('default') : lazy(key)),
  has: () => true,
});
`;
}

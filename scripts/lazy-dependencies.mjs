// Libraries that client-node imports at its top and few users need: its own fetch, proxies, OIDC, a second YAML.
const names = new Set([
  'hpagent',
  'isomorphic-ws',
  'js-yaml',
  'jsonpath-plus',
  'openid-client',
  'socks',
  'socks-proxy-agent',
  'undici',
]);

/**
 * Replaces those imports by stand-ins that load the package from node_modules at the first use:
 * when one of its exports is constructed, called, or looked into.
 */
export function lazyDependencies() {
  const prefix = '\0lazy:';
  return {
    name: 'lazy-dependencies',
    resolveId: (source, importer) =>
      names.has(source) && importer?.includes('client-node') ? prefix + source : undefined,
    load: (id) =>
      id.startsWith(prefix)
        ? { code: standIn(id.slice(prefix.length)), moduleType: 'js', moduleSideEffects: false }
        : undefined,
  };
}

/** CommonJS whose exports are a proxy: whatever name is imported is a stand-in for it. A plain require would be bundled. */
function standIn(name) {
  return `
const { createRequire } = process.getBuiltinModule('node:module');
let loaded;
const load = () => (loaded ??= createRequire(__filename)(${JSON.stringify(name)}));
const lazy = (key) => new Proxy(function () {}, {
  construct: (_, args) => Reflect.construct(load()[key], args),
  apply: (_, self, args) => Reflect.apply(load()[key], self, args),
  get: (_, property) => load()[key][property],
});
module.exports = new Proxy({}, {
  get: (_, key) => (key === '__esModule' ? true : lazy(key)),
  has: () => true,
});
`;
}

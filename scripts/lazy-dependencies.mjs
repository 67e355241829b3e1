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
    load: async (id) =>
      id.startsWith(prefix)
        ? {
            code: await standIn(id.slice(prefix.length)),
            moduleType: 'js',
            moduleSideEffects: false,
          }
        : undefined,
  };
}

/**
 * A module with the exports of the package, of which each is a stand-in. They are named one by one: of an object
 * that makes them up when they are asked for, a bundler copies none. A plain require would be bundled.
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
  return `
const { createRequire: $createRequire } = process.getBuiltinModule('node:module');
let $loaded;
const $load = () => ($loaded ??= $createRequire(__filename)(${JSON.stringify(name)}));
const $lazy = (value) => new Proxy(function () {}, {
  construct: (_, args) => Reflect.construct(value(), args),
  apply: (_, self, args) => Reflect.apply(value(), self, args),
  get: (_, property) => value()[property],
});${standIns.join('')}
export default /* @__PURE__ */ $lazy(() => $load().default ?? $load());
`;
}

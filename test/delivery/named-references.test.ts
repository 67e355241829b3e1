import { expect, test } from 'vitest';
import { referencesIn, referencesInAnnotations } from '../../src/delivery/named-references.ts';

test.each([
  ['a volume', { volumes: [{ secret: { secretName: 'a' } }] }, ['Secret a']],
  ['a reference by its field', { passwordSecretRef: { name: 'a' } }, ['Secret a']],
  ['a reference that says its kind', { source: { kind: 'ConfigMap', name: 'a' } }, ['ConfigMap a']],
  [
    'a key selector of a ServiceMonitor, which does not say its kind',
    { basicAuth: { username: { name: 'a', key: 'user' } } },
    ['Secret a', 'ConfigMap a'],
  ],
  ['an object with other fields', { label: { name: 'a', key: 'b', value: 'c' } }, []],
  ['the claim that a volume was made for', { claimRef: { claimName: 'a' } }, []],
])('%s', (_, spec, expected) => {
  expect(referencesIn(spec).map(({ kind, name }) => `${kind} ${name}`)).toEqual(expected);
});

test.each([
  ['nginx.ingress.kubernetes.io/auth-secret', 'shop/basic-auth', ['Secret shop/basic-auth']],
  ['nginx.ingress.kubernetes.io/proxy-ssl-secret', 'tls', ['Secret undefined/tls']],
  ['example.com/config-map-name', 'settings', ['ConfigMap undefined/settings']],
  ['example.com/secretive', 'yes', []],
  ['example.com/secret', 'a/b/c', []],
])('the annotation %s: %s', (key, value, expected) => {
  const found = referencesInAnnotations({ [key]: value });
  expect(found.map(({ kind, namespace, name }) => `${kind} ${namespace}/${name}`)).toEqual(
    expected,
  );
});

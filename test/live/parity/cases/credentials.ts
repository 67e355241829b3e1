import { base64, home, kubeconfigOf, trusted } from '../kubeconfig-of.ts';
import type { ParityCases } from '../parity-world.ts';

const token = { token: 'from-kubeconfig' };

/** Tokens, certificates, passwords and impersonation. */
export const credentialCases: ParityCases = {
  token: (world) => ({ files: home(world, token) }),
  'tokenFile, relative, with a line end': (world) => ({
    files: { ...home(world, { tokenFile: 'token' }), '.kube/token': 'from-file\n' },
  }),
  'token and tokenFile': (world) => ({
    files: { ...home(world, { ...token, tokenFile: 'token' }), '.kube/token': 'from-file' },
  }),
  'token and a missing tokenFile': (world) => ({
    files: home(world, { ...token, tokenFile: 'no' }),
  }),
  'token with a line end': (world) => ({ files: home(world, { token: 'a\nb' }) }),
  'missing tokenFile': (world) => ({ files: home(world, { tokenFile: 'no' }) }),
  '--token over the kubeconfig': (world) => ({
    files: home(world, token),
    options: { token: 'from-flag' },
  }),
  '--token over tokenFile': (world) => ({
    files: { ...home(world, { tokenFile: 'token' }), '.kube/token': 'from-file' },
    options: { token: 'from-flag' },
  }),
  'context without user, --token': (world) => ({ files: home(world), options: { token: 'flag' } }),
  'context with a missing user, --token': (world) => ({
    files: { '.kube/config': kubeconfigOf(trusted(world), undefined, { user: 'gone' }) },
    options: { token: 'flag' },
  }),
  'client certificate, data': (world) => ({
    files: home(world, {
      'client-certificate-data': base64(world.alice.certificate),
      'client-key-data': base64(world.alice.key),
    }),
  }),
  'client certificate, relative files': (world) => ({
    files: {
      ...home(world, { 'client-certificate': 'alice.crt', 'client-key': '../alice.key' }),
      '.kube/alice.crt': world.alice.certificate,
      'alice.key': world.alice.key,
    },
  }),
  'client certificate and token': (world) => ({
    files: home(world, {
      ...token,
      'client-certificate-data': base64(world.alice.certificate),
      'client-key-data': base64(world.alice.key),
    }),
  }),
  '--client-certificate over data': (world) => ({
    files: {
      ...home(world, {
        'client-certificate-data': base64(world.alice.certificate),
        'client-key-data': base64(world.alice.key),
      }),
      'bob.crt': world.bob.certificate,
      'bob.key': world.bob.key,
    },
    options: { 'client-certificate': 'bob.crt', 'client-key': 'bob.key' },
  }),
  'client certificate without key': (world) => ({
    files: home(world, { 'client-certificate-data': base64(world.alice.certificate) }),
  }),
  'client certificate with another key': (world) => ({
    files: home(world, {
      'client-certificate-data': base64(world.alice.certificate),
      'client-key-data': base64(world.bob.key),
    }),
  }),
  'client certificate as file and data': (world) => ({
    files: {
      ...home(world, {
        'client-certificate': 'alice.crt',
        'client-certificate-data': base64(world.alice.certificate),
        'client-key-data': base64(world.alice.key),
      }),
      '.kube/alice.crt': world.alice.certificate,
    },
  }),
  'missing client certificate file': (world) => ({
    files: home(world, { 'client-certificate': 'no.crt', 'client-key': 'no.key' }),
  }),
  'user name and password': (world) => ({
    files: home(world, { username: 'ann', password: 'p:ä' }),
  }),
  '--username and --password': (world) => ({
    files: home(world, { username: 'ann', password: 'old' }),
    options: { username: 'bea', password: 'new' },
  }),
  'password and token': (world) => ({
    files: home(world, { ...token, username: 'ann', password: 'x' }),
  }),
  'password and tokenFile': (world) => ({
    files: {
      ...home(world, { tokenFile: 'token', username: 'ann', password: 'x' }),
      '.kube/token': 'from-file',
    },
  }),
  'user and password in the address': (world) => ({
    files: home(world, token, { server: world.tls.url.replace('//', '//ann:pw@') }),
  }),
  'impersonation in the kubeconfig': (world) => ({
    files: home(world, {
      ...token,
      as: 'jörg',
      'as-uid': '1234',
      'as-groups': ['dev', 'ops, all'],
      'as-user-extra': { scopes: ['a', 'b'], 'example.com/100%': ['x'] },
    }),
  }),
  'impersonation by flags': (world) => ({
    files: home(world, token),
    options: {
      as: 'system:serviceaccount:a:b',
      'as-uid': '99',
      'as-group': ['system:masters', 'dev'],
      'as-user-extra': ['reason=a=b', 'reason=c', 'scopes=view'],
    },
  }),
  'impersonation by flags over the kubeconfig': (world) => ({
    files: home(world, {
      ...token,
      as: 'a',
      'as-groups': ['x', 'y'],
      'as-user-extra': { keep: ['1'], replace: ['2'] },
    }),
    options: { as: 'b', 'as-group': ['z'], 'as-user-extra': ['replace=3'] },
  }),
  'impersonated groups without user': (world) => ({
    files: home(world, token),
    options: { 'as-group': ['dev'] },
  }),
  'refused by the server': (world) => ({
    files: home(world, token, { server: world.unauthorized.url }),
  }),
  'auth-provider gcp': (world) => ({
    files: home(world, { 'auth-provider': { name: 'gcp', config: {} } }),
  }),
  'auth-provider azure': (world) => ({
    files: home(world, { 'auth-provider': { name: 'azure', config: {} } }),
  }),
  'unknown auth-provider': (world) => ({
    files: home(world, { 'auth-provider': { name: 'astrology', config: {} } }),
  }),
};

import { certificateData, type ParityRows } from '../kubeconfig-of.ts';

const token = { token: 'from-kubeconfig' };
const tokenFile = { '.kube/token': 'from-file' };

/** Tokens, certificates, passwords and impersonation. */
export const credentialCases: ParityRows = {
  token: { user: token },
  'tokenFile, relative, with a line end': {
    user: { tokenFile: 'token' },
    files: { '.kube/token': 'from-file\n' },
  },
  'token and tokenFile': { user: { ...token, tokenFile: 'token' }, files: tokenFile },
  'token and a missing tokenFile': { user: { ...token, tokenFile: 'no' } },
  'token with a line end': { user: { token: 'a\nb' } },
  'missing tokenFile': { user: { tokenFile: 'no' } },
  '--token over the kubeconfig': { user: token, options: { token: 'from-flag' } },
  '--token over tokenFile': {
    user: { tokenFile: 'token' },
    files: tokenFile,
    options: { token: 'from-flag' },
  },
  'context without user, --token': { cluster: {}, options: { token: 'flag' } },
  'context with a missing user, --token': {
    cluster: {},
    context: { user: 'gone' },
    options: { token: 'flag' },
  },
  'client certificate, data': ({ alice }) => ({ user: certificateData(alice) }),
  'client certificate, relative files': ({ alice }) => ({
    user: { 'client-certificate': 'alice.crt', 'client-key': '../alice.key' },
    files: { '.kube/alice.crt': alice.certificate, 'alice.key': alice.key },
  }),
  'client certificate and token': ({ alice }) => ({
    user: { ...token, ...certificateData(alice) },
  }),
  '--client-certificate over data': ({ alice, bob }) => ({
    user: certificateData(alice),
    files: { 'bob.crt': bob.certificate, 'bob.key': bob.key },
    options: { 'client-certificate': 'bob.crt', 'client-key': 'bob.key' },
  }),
  'client certificate without key': ({ alice }) => ({
    user: { ...certificateData(alice), 'client-key-data': undefined },
  }),
  'client certificate with another key': ({ alice, bob }) => ({
    user: certificateData({ ...alice, key: bob.key }),
  }),
  'client certificate as file and data': ({ alice }) => ({
    user: { 'client-certificate': 'alice.crt', ...certificateData(alice) },
    files: { '.kube/alice.crt': alice.certificate },
  }),
  'missing client certificate file': {
    user: { 'client-certificate': 'no.crt', 'client-key': 'no.key' },
  },
  'user name and password': { user: { username: 'ann', password: 'p:ä' } },
  '--username and --password': {
    user: { username: 'ann', password: 'old' },
    options: { username: 'bea', password: 'new' },
  },
  'password and token': { user: { ...token, username: 'ann', password: 'x' } },
  'password and tokenFile': {
    user: { tokenFile: 'token', username: 'ann', password: 'x' },
    files: tokenFile,
  },
  'user and password in the address': ({ tls }) => ({
    cluster: { server: tls.url.replace('//', '//ann:pw@') },
    user: token,
  }),
  'impersonation in the kubeconfig': {
    user: {
      ...token,
      as: 'jörg',
      'as-uid': '1234',
      'as-groups': ['dev', 'ops, all'],
      'as-user-extra': { scopes: ['a', 'b'], 'example.com/100%': ['x'] },
    },
  },
  'impersonation by flags': {
    user: token,
    options: {
      as: 'system:serviceaccount:a:b',
      'as-uid': '99',
      'as-group': ['system:masters', 'dev'],
      'as-user-extra': ['reason=a=b', 'reason=c', 'scopes=view'],
    },
  },
  'impersonation by flags over the kubeconfig': {
    user: {
      ...token,
      as: 'a',
      'as-groups': ['x', 'y'],
      'as-user-extra': { keep: ['1'], replace: ['2'] },
    },
    options: { as: 'b', 'as-group': ['z'], 'as-user-extra': ['replace=3'] },
  },
  'impersonated groups without user': { user: token, options: { 'as-group': ['dev'] } },
  'refused by the server': ({ unauthorized }) => ({
    cluster: { server: unauthorized.url },
    user: token,
  }),
  'auth-provider gcp': { user: { 'auth-provider': { name: 'gcp', config: {} } } },
  'auth-provider azure': { user: { 'auth-provider': { name: 'azure', config: {} } } },
  'unknown auth-provider': { user: { 'auth-provider': { name: 'astrology', config: {} } } },
};

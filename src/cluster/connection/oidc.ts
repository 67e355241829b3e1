import { readFileSync } from 'node:fs';
import { open, readFile, rm, writeFile } from 'node:fs/promises';
import { GcError, isGcError } from '../../errors.ts';
import { fieldsOf, type Json, textOrEmpty } from '../../kube/json-value.ts';
import { readLimitedText } from '../read-body.ts';
import type { ClientEnvironment } from './client-environment.ts';
import type { ConnectionSettings } from './connection-settings.ts';
import { createAgent } from './create-agent.ts';
import type { CredentialSource } from './credential-source.ts';
import { exchange } from './http-exchange.ts';
import type { AuthProvider, KubeconfigUser } from './kubeconfig.ts';
import { Patience } from './patience.ts';
import { proxyForServer } from './proxy-for-server.ts';

/** kubectl's margin for clocks that differ. */
const expiryMargin = 10_000;

/**
 * The `oidc` auth-provider: its id-token while it is valid, else a new one for the refresh token.
 * Written here because client-node's does not send the client secret and forgets a refresh token
 * that the provider replaced, which would log the user out of kubectl too.
 */
export function oidcSource(
  user: KubeconfigUser,
  { config: initial }: AuthProvider,
  settings: ConnectionSettings,
  environment: ClientEnvironment,
  now: () => number = Date.now,
): CredentialSource {
  for (const key of ['idp-issuer-url', 'client-id']) {
    if (!initial[key]) throw failed(`the auth-provider oidc has no ${key}`);
  }
  let config = initial;
  let held: KubeconfigUser | undefined;
  let running: Promise<KubeconfigUser> | undefined;

  const refresh = async () => {
    if (!config['refresh-token']) {
      throw failed(
        'the id-token of the auth-provider oidc has expired and there is no refresh-token',
      );
    }
    const renewed = { ...config, ...(await refreshOidcToken(config, environment)) };
    try {
      await writeAuthProviderConfig(user.origin, settings.origin.userName, renewed);
    } catch (cause) {
      // Without rotation the old refresh token still works, so nothing is lost.
      if (renewed['refresh-token'] !== config['refresh-token']) {
        throw failed(`the new tokens could not be written to ${user.origin}`, cause);
      }
    }
    config = renewed;
    return hold(renewed['id-token'] ?? '');
  };
  const hold = (token: string) => {
    held = { ...user, authProvider: undefined, token };
    return held;
  };
  return {
    current: async () => {
      const token = config['id-token'] ?? '';
      if (token !== '' && now() + expiryMargin < expiryOf(token)) {
        return held?.token === token ? held : hold(token);
      }
      running ??= refresh().finally(() => {
        running = undefined;
      });
      return running;
    },
  };
}

/** Milliseconds since the epoch; an id-token without an expiry counts as expired. */
function expiryOf(token: string): number {
  const [, payload = '', signature] = token.split('.');
  if (signature === undefined) throw failed('the id-token of the auth-provider oidc is not a JWT');
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
    return Number(Object(claims).exp ?? 0) * 1000;
  } catch {
    throw failed('the id-token of the auth-provider oidc is not a JWT');
  }
}

function failed(why: string, cause?: unknown): GcError {
  return new GcError(why, {
    code: 'oidc-failed',
    suggestions: ['Log in again with the tool that wrote this kubeconfig.'],
    cause,
  });
}

type Send = (url: string, form?: string, authorization?: string) => Promise<Answer>;

interface Answer {
  readonly status: number;
  readonly document: Json;
}

/** Trades the refresh token for new ones; returns the fields of the auth-provider that change. */
async function refreshOidcToken(
  config: AuthProvider['config'],
  environment: ClientEnvironment,
): Promise<Record<string, string>> {
  const issuer = (config['idp-issuer-url'] ?? '').replace(/\/$/, '');
  if (!URL.canParse(issuer)) throw refreshFailed('idp-issuer-url is not a URL');
  const send = sender(config, environment);
  const discovery = await send(`${issuer}/.well-known/openid-configuration`);
  const endpoint = URL.parse(textOrEmpty(discovery.document.token_endpoint));
  if (discovery.status !== 200 || !endpoint || !/^https?:$/.test(endpoint.protocol)) {
    throw refreshFailed(`${issuer} names no token endpoint (HTTP ${discovery.status})`);
  }
  // client-go would send the client secret and the refresh token in the clear; OpenID Connect Discovery
  // requires https.
  if (issuer.startsWith('https:') && endpoint.protocol !== 'https:') {
    throw refreshFailed(`${issuer} names a token endpoint without TLS, ${endpoint.origin}`);
  }
  const { status, document } = await requestTokens(endpoint.href, config, send);
  if (status < 200 || status > 299) {
    // RFC 6749 has words of ASCII here; anything else is not repeated.
    const [error = ''] = /^[\w.-]{1,64}$/.exec(textOrEmpty(document.error)) ?? [];
    throw refreshFailed(
      `${issuer} refused the refresh token (HTTP ${status}${error && `: ${error}`})`,
    );
  }
  if (typeof document.id_token !== 'string') throw refreshFailed(`${issuer} sent no id_token`);
  const refreshToken = textOrEmpty(document.refresh_token);
  return {
    'id-token': document.id_token,
    ...(refreshToken && { 'refresh-token': refreshToken }),
  };
}

/** Sends the client secret as a header first and in the form second, as Go's oauth2 finds out. */
async function requestTokens(
  endpoint: string,
  config: AuthProvider['config'],
  send: Send,
): Promise<Answer> {
  const id = config['client-id'] ?? '';
  const secret = config['client-secret'] ?? '';
  const grant = { grant_type: 'refresh_token', refresh_token: config['refresh-token'] ?? '' };
  const inForm = new URLSearchParams({
    ...grant,
    client_id: id,
    ...(secret && { client_secret: secret }),
  });
  if (secret === '') return send(endpoint, inForm.toString());
  const pair = `${encodeURIComponent(id)}:${encodeURIComponent(secret)}`;
  const basic = `Basic ${Buffer.from(pair).toString('base64')}`;
  const answer = await send(endpoint, new URLSearchParams(grant).toString(), basic);
  return answer.status < 300 ? answer : send(endpoint, inForm.toString());
}

function sender(config: AuthProvider['config'], environment: ClientEnvironment): Send {
  const file = config['idp-certificate-authority'];
  const data = config['idp-certificate-authority-data'];
  const ca = data ? Buffer.from(data, 'base64') : file ? readFileSync(file) : undefined;
  return async (url, form, authorization) => {
    const proxy = proxyForServer(new URL(url), environment.env);
    const agent = createAgent(url, proxy, ca && { ca });
    const peer = { name: `the identity provider ${new URL(url).origin}`, proxy };
    try {
      const { status, body } = await exchange({
        url,
        method: form === undefined ? 'GET' : 'POST',
        headers: {
          accept: 'application/json',
          'accept-encoding': 'gzip',
          ...(form !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
          ...(authorization && { authorization }),
        },
        body: form,
        agent,
        awaited: new Patience(environment).begin(peer.name, 30_000),
        peer,
      });
      return { status, document: parseObject(await readLimitedText(body, 1 << 20)) };
    } catch (error) {
      if (isGcError(error)) throw error;
      throw refreshFailed('the identity provider could not be asked', error);
    } finally {
      agent.destroy();
    }
  };
}

function parseObject(text: string): Json {
  try {
    return fieldsOf(JSON.parse(text));
  } catch {
    return {};
  }
}

function refreshFailed(why: string, cause?: unknown): GcError {
  return failed(`could not renew the oidc token: ${why}`, cause);
}

/**
 * Writes an auth-provider's renewed config into the kubeconfig it came from, comments and order
 * kept. Takes kubectl's own lock, so that neither overwrites the other; rejects when it is taken,
 * when the file cannot be written, or when the user is gone from it.
 * @internal
 */
export async function writeAuthProviderConfig(
  file: string,
  userName: string,
  config: AuthProvider['config'],
): Promise<void> {
  const { isMap, isSeq, parseDocument } = await import('yaml');
  const lock = `${file}.lock`;
  await (await open(lock, 'wx', 0o600)).close();
  try {
    const document = parseDocument(await readFile(file, 'utf8'), {
      uniqueKeys: false,
      merge: true,
    });
    const users = document.get('users');
    const index = isSeq(users)
      ? users.items.findIndex((item) => isMap(item) && item.get('name') === userName)
      : -1;
    if (index < 0) throw new Error(`user "${userName}" is not in ${file}`);
    for (const [key, value] of Object.entries(config)) {
      document.setIn(['users', index, 'user', 'auth-provider', 'config', key], value);
    }
    // In place, because the file may be a link, and its owner and mode are to stay.
    await writeFile(file, document.toString({ lineWidth: 0, indentSeq: false }));
  } finally {
    await rm(lock, { force: true });
  }
}

import { readFileSync } from 'node:fs';
import { GcError, isGcError } from '../errors.ts';
import type { ClientEnvironment } from './client-environment.ts';
import { createAgent } from './create-agent.ts';
import { exchange } from './http-exchange.ts';
import { proxyForServer } from './proxy-for-server.ts';
import { readText } from './read-text.ts';

type Config = Readonly<Record<string, string>>;
type Send = (url: string, form?: string, authorization?: string) => Promise<Answer>;

interface Answer {
  readonly status: number;
  readonly document: Readonly<Record<string, unknown>>;
}

/** Trades the refresh token for new ones; returns the fields of the auth-provider that change. */
export async function refreshOidcToken(
  config: Config,
  environment: ClientEnvironment,
): Promise<Record<string, string>> {
  const issuer = (config['idp-issuer-url'] ?? '').replace(/\/$/, '');
  const send = sender(config, environment);
  const discovery = await send(`${issuer}/.well-known/openid-configuration`);
  const endpoint = discovery.document.token_endpoint;
  if (discovery.status !== 200 || typeof endpoint !== 'string') {
    throw failed(`${issuer} names no token endpoint (HTTP ${discovery.status})`);
  }
  const { status, document } = await requestTokens(endpoint, config, send);
  if (status < 200 || status > 299) {
    const error = typeof document.error === 'string' ? `: ${document.error}` : '';
    throw failed(`${issuer} refused the refresh token (HTTP ${status}${error})`);
  }
  if (typeof document.id_token !== 'string') throw failed(`${issuer} sent no id_token`);
  const refreshToken = document.refresh_token;
  return {
    'id-token': document.id_token,
    ...(typeof refreshToken === 'string' &&
      refreshToken !== '' && { 'refresh-token': refreshToken }),
  };
}

/** Sends the client secret as a header first and in the form second, as Go's oauth2 finds out. */
async function requestTokens(endpoint: string, config: Config, send: Send): Promise<Answer> {
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

function sender(config: Config, environment: ClientEnvironment): Send {
  const file = config['idp-certificate-authority'];
  const data = config['idp-certificate-authority-data'];
  const ca = data ? Buffer.from(data, 'base64') : file ? readFileSync(file) : undefined;
  return async (url, form, authorization) => {
    const proxy = proxyForServer(new URL(url), environment.env);
    const agent = createAgent(url, proxy, ca && { ca });
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
        timeout: 30_000,
        peer: { name: `the identity provider ${new URL(url).origin}`, proxy },
      });
      return { status, document: parseObject(await readText(body, 1 << 20)) };
    } catch (error) {
      if (isGcError(error)) throw error;
      throw failed('the identity provider could not be asked', error);
    } finally {
      agent.destroy();
    }
  };
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}

function failed(why: string, cause?: unknown): GcError {
  return new GcError(`could not renew the oidc token: ${why}`, {
    code: 'oidc-failed',
    suggestions: ['Log in again with the tool that wrote this kubeconfig.'],
    cause,
  });
}

import { GcError } from '../../errors.ts';
import { hostOf, isLoopback } from '../server-host.ts';

/** A server may be asked for while no connection is opened, and sockets take long to load. */
const net = () => process.getBuiltinModule('node:net');

type Environment = Readonly<Record<string, string | undefined>>;

const defaultPorts: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/**
 * The proxy for a server by the rules of Go's net/http, which are kubectl's: HTTPS_PROXY or
 * HTTP_PROXY by scheme, never for loopback, NO_PROXY with domains, addresses, ports and CIDRs.
 * Node's own reading of these variables differs in all of that. Throws where the one that counts is no address.
 */
export function proxyForServer(server: URL, env: Environment): URL | undefined {
  const names =
    server.protocol === 'https:' ? ['HTTPS_PROXY', 'https_proxy'] : ['HTTP_PROXY', 'http_proxy'];
  const name = firstSet(env, names);
  if (name === undefined) return undefined;
  const host = hostOf(server);
  const port = server.port || (defaultPorts[server.protocol] ?? '');
  if (isLoopback(server)) return undefined;
  const exempt = firstSet(env, ['NO_PROXY', 'no_proxy']) ?? '';
  const rules = (env[exempt] ?? '').split(',');
  if (rules.some((rule) => matches(rule.trim().toLowerCase(), host, port))) return undefined;
  const proxy = env[name] ?? '';
  const url = URL.parse(proxy.includes('://') ? proxy : `http://${proxy}`);
  if (url?.host) return url;
  throw new GcError(`the proxy in ${name} cannot be used: it is not an address`, {
    code: 'invalid-proxy',
    // It may hold a password.
    suggestions: [`Its value is not shown. It should look like this: ${name}=http://host:3128`],
  });
}

/** A proxy's address fit for messages: without its user and password. */
export function withoutCredentials(url: URL): string {
  return `${url.protocol}//${url.host}`;
}

export function isSocks(proxy: URL): boolean {
  return /^socks5h?:$/.test(proxy.protocol);
}

/** The first of these variables that has a value. */
function firstSet(env: Environment, names: readonly string[]): string | undefined {
  return names.find((name) => (env[name] ?? '') !== '');
}

function matches(rule: string, host: string, port: string): boolean {
  if (rule === '') return false;
  if (rule === '*') return true;
  if (rule.includes('/')) return isInNetwork(host, rule);
  const [ruleHost, rulePort] = splitPort(rule);
  if (ruleHost === '' || (rulePort !== '' && rulePort !== port)) return false;
  if (net().isIP(ruleHost) !== 0 || net().isIP(host) !== 0) return isSameAddress(host, ruleHost);
  const domain = ruleHost.replace(/^\*\./, '.');
  return domain.startsWith('.')
    ? host.endsWith(domain)
    : host === domain || host.endsWith(`.${domain}`);
}

function splitPort(rule: string): readonly [host: string, port: string] {
  const bracketed = /^\[(.*)\](?::(\d*))?$/.exec(rule);
  if (bracketed) return [bracketed[1] ?? '', bracketed[2] ?? ''];
  const parts = rule.split(':');
  return parts.length === 2 ? [parts[0] ?? '', parts[1] ?? ''] : [rule, ''];
}

function isSameAddress(host: string, address: string): boolean {
  return isInNetwork(host, `${address}/${net().isIP(address) === 6 ? 128 : 32}`);
}

function isInNetwork(host: string, network: string): boolean {
  const [address = '', bits = ''] = network.split('/');
  const family = net().isIP(address);
  const prefix = Number(bits);
  if (family === 0 || net().isIP(host) !== family || !/^\d+$/.test(bits)) return false;
  if (prefix > (family === 6 ? 128 : 32)) return false;
  const type = family === 6 ? 'ipv6' : 'ipv4';
  const list = new (net().BlockList)();
  list.addSubnet(address, prefix, type);
  return list.check(host, type);
}

import { parse } from 'yaml';
import { kubeconfigOf } from '../../support/kubeconfig.ts';
import { rowsOf } from '../../support/rows.ts';
import type { ParityCase } from './parity.ts';
import type { World } from './parity-world.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A situation whose ~/.kube/config is said by its entries; without any of them there is none. */
export interface Row extends ParityCase {
  /** A text is the user who has this token. */
  readonly user?: Fields | string;
  /** What the cluster says beside the address and the authority of the TLS server. */
  readonly cluster?: Fields;
  /** The whole cluster, instead. */
  readonly otherCluster?: Fields;
  readonly context?: Fields;
}

/** By name; they are made when the servers run. */
export type Situations = readonly (readonly [string, (world: World) => ParityCase])[];

/**
 * Situations by name, as YAML. Texts take words of the world: `$tls` and `$tls.port` of a server, `$proxy`, `$alice.crt` and
 * `$alice.key`, an id-token that ends at a time, `$expires(TIME)`. In the place of fields stand `certificate: alice`, for
 * the data of a certificate and its key, `authority: another`, and `named: TOKEN`, for a whole kubeconfig.
 */
export function situationsOf(text: string): Situations {
  return rowsOf(text).map(([name = '', ...parts]) => [
    name,
    (world) => situationOf(parse(`{${parts.join(' ')}}`) as Row, world),
  ]);
}

export function situationOf(row: Row, world: World): ParityCase {
  const { user, cluster, otherCluster, context, files = {}, ...others } = filled(row, world) as Row;
  if (!user && !cluster && !otherCluster) return { files, ...others };
  const trusted = otherCluster ?? trustedIn(world, cluster);
  const config = kubeconfigOf(trusted, typeof user === 'string' ? { token: user } : user, context);
  return { files: { '.kube/config': config, ...files }, ...others };
}

/** The TLS server as a cluster entry that trusts it. */
function trustedIn(world: World, fields: Fields = {}): Fields {
  return filled({ server: '$tls', authority: 'authority', ...fields }, world) as Fields;
}

export function filled(value: unknown, world: World): unknown {
  if (typeof value === 'string') {
    return value.replace(/\$([a-z]\w*(?:\.\w+)?)(?:\(([^)]*)\))?/g, (_, word, of = '') =>
      wordOf(word, of, world),
    );
  }
  if (Array.isArray(value)) return value.map((one) => filled(one, world));
  if (typeof value !== 'object' || value === null) return value;
  return Object.assign({}, ...Object.entries(value).map(([key, one]) => fieldsOf(key, one, world)));
}

function fieldsOf(key: string, value: unknown, world: World): Fields {
  const word = (name: string) => wordOf(name, '', world);
  switch (key) {
    case 'certificate':
      return {
        'client-certificate-data': word(`${value}.crt64`),
        'client-key-data': word(`${value}.key64`),
      };
    case 'authority':
      return { 'certificate-authority-data': word(`${value}.crt64`) };
    case 'named':
      return kubeconfigOf(trustedIn(world), { token: value });
    default:
      return { [key]: filled(value, world) };
  }
}

function wordOf(word: string, of: string, world: World): string {
  const [name = '', part = ''] = word.split('.');
  if (name === 'expires') return idToken(of);
  if (name === 'json') return JSON.stringify(filled({ named: of }, world));
  const found = world[name as 'tls' | 'proxy' | 'alice'];
  if ('certificate' in found) {
    const text = part.startsWith('crt') ? found.certificate : found.key;
    return part.endsWith('64') ? Buffer.from(text).toString('base64') : text;
  }
  if (part === 'port') return `${found.port}`;
  const scheme = name === 'socks' ? 'socks5' : 'http';
  return 'url' in found ? found.url : `${scheme}://127.0.0.1:${found.port}`;
}

/** An id-token that expires then (a time), unsigned: clients do not check. */
function idToken(expires: string): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'none' })}.${part({ exp: Date.parse(expires) / 1000 })}.signature`;
}

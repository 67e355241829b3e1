import { GcError } from '../../errors.ts';
import type { ExecPlugin } from './kubeconfig.ts';

export interface ExecCredential {
  /** '' for none. */
  readonly token: string;
  /** PEM, '' for none; both or neither. */
  readonly certificate: string;
  readonly key: string;
  /** Milliseconds since the epoch; Infinity when the plugin sets no expiry. */
  readonly expiresAt: number;
}

type Mapping = Readonly<Record<string, unknown>>;

/** Reads the ExecCredential that a plugin printed; errors never quote the output, it holds secrets. */
export async function parseExecCredential(
  output: string,
  plugin: ExecPlugin,
): Promise<ExecCredential> {
  const document = mapping(await decode(output));
  if (document?.kind !== 'ExecCredential') throw unusable(plugin, 'is not an ExecCredential');
  if (document.apiVersion !== plugin.apiVersion) {
    throw unusable(
      plugin,
      `is of version ${String(document.apiVersion)}, the kubeconfig asks for ${plugin.apiVersion}`,
    );
  }
  const status = mapping(document.status);
  if (status === undefined) throw unusable(plugin, 'has no status');
  const token = textOf(status.token);
  const certificate = textOf(status.clientCertificateData);
  const key = textOf(status.clientKeyData);
  if (token === '' && certificate === '' && key === '') {
    throw unusable(plugin, 'has neither a token nor a certificate');
  }
  if ((certificate === '') !== (key === '')) {
    throw unusable(plugin, 'has a certificate or a key without the other');
  }
  const expiry = textOf(status.expirationTimestamp);
  const expiresAt = expiry === '' ? Number.POSITIVE_INFINITY : Date.parse(expiry);
  if (Number.isNaN(expiresAt)) throw unusable(plugin, 'has an expirationTimestamp that is no time');
  return { token, certificate, key, expiresAt };
}

async function decode(text: string): Promise<unknown> {
  try {
    return JSON.parse(text);
  } catch {
    const { parseDocument } = await import('yaml');
    const document = parseDocument(text, { prettyErrors: false });
    try {
      return document.errors.length === 0 ? document.toJS() : undefined;
    } catch {
      // An alias has no anchor, or stands for too much.
      return undefined;
    }
  }
}

function mapping(value: unknown): Mapping | undefined {
  return typeof value === 'object' && value !== null ? { ...value } : undefined;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function unusable(plugin: ExecPlugin, why: string): GcError {
  return new GcError(`the output of the credential plugin ${plugin.command} ${why}`, {
    code: 'exec-plugin-failed',
    suggestions: ['Run the plugin by hand to see what it prints; update it if it is old.'],
  });
}

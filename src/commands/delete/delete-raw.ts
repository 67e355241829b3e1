import { failureOf } from '../../cluster/api-failure.ts';
import { Clearance } from '../../cluster/write/clearance.ts';
import { deletePlainly } from '../../cluster/write/send-write.ts';
import { shellCommand, suggested } from '../../command-line/shell-command.ts';
import { usageError } from '../../errors.ts';
import { printedText } from '../../output/printable.ts';
import { failureIn, messageOf } from '../../perform/failure.ts';
import { isProtected, protectedRefusal, refusalError } from '../../perform/limits.ts';
import type { DeleteFlags } from '../../shell/flags/delete-options.ts';
import { readText } from '../../shell/input/read-document.ts';
import type { Session } from '../../shell/input/session.ts';
import { writeErr, writeOut } from '../../shell/terminal/streams.ts';

/** Checks the combinations with `--raw` that its declaration cannot express. */
export function checkRaw({ filename = [], raw = '', wait }: DeleteFlags): void {
  const files = filename.flatMap((value) => value.split(','));
  if (files.length > 1 || /^https?:\/\//.test(files[0] ?? '')) {
    throw usageError('--raw can only use a single local file or stdin', [
      'Give -f once, or not at all.',
    ]);
  }
  rawUriOf(raw);
  if (wait !== 'tree' && wait !== 'object') return;
  throw usageError(
    `--raw sends one request as it is, and --wait=${wait} cannot be honoured with it`,
    [suggested('Name the objects instead', shellCommand`kubectl gc delete TYPE/NAME`)],
  );
}

const ignored = [
  'all',
  'all-namespaces',
  'selector',
  'field-selector',
  'kustomize',
  'cascade',
  'force',
  'grace-period',
  'now',
  'ignore-not-found',
  'timeout',
  'wait',
] as const;

/** Sends one DELETE to a path, as it is, and prints the answer; false when the server refused. */
export async function deleteRaw(
  args: readonly string[],
  flags: DeleteFlags,
  session: Session,
): Promise<boolean> {
  const { raw = '', filename: [file] = [] } = flags;
  const uri = rawUriOf(raw);
  if (leadsToProtected(uri.segments) && !flags['allow-protected']) {
    throw refusalError(protectedRefusal(`${uri.path} would be deleted`));
  }
  // kubectl does not report what it ignores next to `--raw`.
  const given = ignored.filter((flag) => flags[flag] !== undefined && flags[flag] !== false);
  const words = [...args, ...given.map((flag) => `--${flag}`)].join(', ');
  if (words) writeErr(`Warning: --raw sends the URI as it is, and ignores: ${words}`);
  const body = file === undefined ? undefined : await readText(file, 'body');
  const client = await session.client();
  const path = uri.request;
  const clearance = Clearance.grant('raw', { path, refusals: [] });
  const response = await deletePlainly(client, clearance, path, body);
  if (response.status >= 400) {
    writeErr(messageOf(failureIn(await failureOf(response))));
    return false;
  }
  const decoder = new TextDecoder();
  for await (const chunk of response.body) {
    await writeOut(printedText(decoder.decode(chunk, { stream: true })));
  }
  return true;
}

/**
 * Reads the URI of `--raw`. What is judged is what is sent: dot segments are resolved in both. Of a
 * whole URL kubectl takes path and query, and no more.
 */
function rawUriOf(raw: string) {
  const isPath = raw.startsWith('/');
  if (!isPath && !/^[a-z]+:/i.test(raw)) throw invalidPath(raw);
  try {
    const { pathname: path, search } = new URL(isPath ? `http://server${raw}` : raw);
    if (!path.startsWith('/')) throw invalidPath(raw);
    const segments = decodeURIComponent(path).split('/').filter(Boolean);
    return { request: path + search, path, segments };
  } catch {
    throw invalidPath(raw);
  }
}

/** Below a namespace these belong to the Namespace itself, and to no object in it. */
const partsOfNamespaces = ['status', 'finalize'];

/** As the server takes a path apart, once it is decoded (RequestInfoFactory.NewRequestInfo). */
function leadsToProtected([root, ...more]: readonly string[]): boolean {
  if (root !== 'api' && root !== 'apis') return false;
  const [resource, name = '', part] = more.slice(root === 'api' ? 1 : 2);
  if (resource !== 'namespaces') return false;
  const isWithin = part !== undefined && !partsOfNamespaces.includes(part);
  return isProtected({
    apiVersion: 'v1',
    kind: root === 'api' && !isWithin ? 'Namespace' : '',
    namespace: isWithin ? name : '',
    name: isWithin ? '' : name,
  });
}

function invalidPath(raw: string) {
  return usageError(`--raw must be a valid URL path: parse "${raw}": invalid URI for request`, [
    'For example: --raw /api/v1/namespaces/shop/pods/web',
  ]);
}

import { deletePlainly } from '../../cluster/write/send-write.ts';
import { usageError } from '../../errors.ts';
import { readWhole } from '../../files/file-bytes.ts';
import type { Session } from '../input/session.ts';
import { isProtected, protectedError } from '../loop/refusals.ts';
import { writeErr, writeOut } from '../terminal/streams.ts';
import type { DeleteFlags } from './delete-options.ts';
import { placeOf, rawUriOf } from './raw-uri.ts';
import { failureOf, messageOf } from './targets/failure.ts';

/** Checks what goes together with `--raw`, in kubectl's words where it refuses the same. */
export function checkRaw(flags: DeleteFlags): void {
  const { filename = [] } = flags;
  const files = filename.flatMap((value) => value.split(','));
  const fault = flags.interactive
    ? '--interactive can not be used with --raw'
    : files.length > 1
      ? '--raw can only use a single local file or stdin'
      : /^https?:\/\//.test(files[0] ?? '')
        ? '--raw cannot read from a url'
        : flags.recursive
          ? '--raw and --recursive are mutually exclusive'
          : flags.output
            ? '--raw and --output are mutually exclusive'
            : undefined;
  if (fault !== undefined) throw usageError('wrong-raw', fault);
  rawUriOf(flags.raw ?? '');
  if (!flags.from) return;
  throw usageError(
    'raw-and-from',
    '--raw is a request to a server, and with --from no server is asked',
    'Name the objects instead: kubectl gc delete TYPE/NAME --from FILE.',
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

/** kubectl says nothing of what it ignores next to `--raw`. */
function warnOfIgnored(args: readonly string[], flags: DeleteFlags): void {
  const given = ignored.filter((flag) => flags[flag] !== undefined && flags[flag] !== false);
  const words = [...args, ...given.map((flag) => `--${flag}`)];
  if (words.length === 0) return;
  writeErr(`Warning: --raw sends the URI as it is, and ignores: ${words.join(', ')}`);
}

/** Sends one DELETE to a path, as it is, and prints the answer; false when the server refused. */
export async function deleteRaw(
  args: readonly string[],
  flags: DeleteFlags,
  session: Session,
): Promise<boolean> {
  const { raw = '', filename: [file] = [] } = flags;
  const uri = rawUriOf(raw);
  const place = placeOf(uri);
  if (place && isProtected(place) && !flags['allow-protected']) throw protectedError(uri.path);
  warnOfIgnored(args, flags);
  const body = file === undefined ? undefined : await textOf(file);
  const client = await session.client();
  const response = await deletePlainly(client, uri.request, body);
  if (response.status >= 400) {
    writeErr(messageOf(await failureOf(response)));
    return false;
  }
  const decoder = new TextDecoder();
  for await (const chunk of response.body) {
    await writeOut(decoder.decode(chunk, { stream: true }));
  }
  return true;
}

async function textOf(file: string): Promise<string> {
  return (await readWhole(file, process.stdin, writeErr)).toString();
}

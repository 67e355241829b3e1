import { promises as fs } from 'node:fs';
import { usageError } from '../../errors.ts';
import { connectTo } from '../input.ts';
import { writeErr, writeOut } from '../streams.ts';
import type { DeleteFlags } from './delete-options.ts';
import { failureOf, messageOf } from './failure.ts';

/** Checks what goes together with `--raw`, in kubectl's words. */
export function checkRaw(flags: DeleteFlags): void {
  const { raw = '', filename = [] } = flags;
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
            : !raw.startsWith('/') && !/^[a-z]+:/i.test(raw)
              ? `--raw must be a valid URL path: parse "${raw}": invalid URI for request`
              : undefined;
  if (fault !== undefined) throw usageError('wrong-raw', fault);
}

/** Sends one DELETE to a path, as it is, and prints the answer; false when the server refused. */
export async function deleteRaw(flags: DeleteFlags): Promise<boolean> {
  const { raw = '', filename: [file] = [] } = flags;
  const body = file === undefined ? undefined : await textOf(file);
  const client = await connectTo(flags);
  try {
    const response = await client.request({
      method: 'DELETE',
      path: raw,
      headers: { accept: 'application/json', 'content-type': 'application/json' },
      ...(body !== undefined && { body }),
    });
    if (response.status >= 400) {
      writeErr(messageOf(await failureOf(response)));
      return false;
    }
    const decoder = new TextDecoder();
    for await (const chunk of response.body) {
      await writeOut(decoder.decode(chunk, { stream: true }));
    }
    return true;
  } finally {
    client.close();
  }
}

async function textOf(file: string): Promise<string> {
  if (file !== '-') return fs.readFile(file, 'utf8');
  let text = '';
  process.stdin.setEncoding('utf8');
  for await (const chunk of process.stdin) text += chunk;
  return text;
}

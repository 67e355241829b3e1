import { basename } from 'node:path';
import { filesBelow, unreadable } from '../../files/find-inputs.ts';
import {
  fileBytes,
  inUtf8,
  reasonUnreadable,
  streamBytes,
  TruncatedError,
  unpacked,
} from '../../files/input-bytes.ts';
import { UnreadableInput } from '../../files/parsing/parse-json.ts';
import type { AuditLog } from './audit-log.ts';
import { AuditTextReader } from './audit-texts.ts';
import { type CollectorOptions, EventCollector } from './event-collector.ts';

export interface AuditLogOptions extends CollectorOptions {
  /** What `-` stands for. */
  readonly stdin?: AsyncIterable<Buffer>;
  /** Bytes of the files, as they are stored, and events: after each chunk. */
  readonly onProgress?: (bytes: number, events: number) => void;
  readonly signal?: AbortSignal;
}

/** Of a folder's files: rotated logs (audit.log.1), and as clouds and must-gather name their exports (PT1H.json, 000000.gz). */
const mayBeLog = /audit|\.(?:log|jsonl?|ndjson|csv)\b|\.(?:gz|zst)$/i;

/**
 * Reads audit logs in one pass each. `paths`: files, `-` for standard input, folders (rotated files: audit.log,
 * audit-2026-11-28T….log, .gz, must-gather's audit_logs/kube-apiserver/*.gz …). Throws where a path that is named cannot be opened.
 */
export async function readAuditLogs(
  paths: readonly string[],
  options: AuditLogOptions = {},
): Promise<AuditLog> {
  const collector = new EventCollector(options);
  const progress = { bytes: 0 };
  for (const path of paths) {
    for (const { folder, file } of await filesBelow(path)) {
      const isNamed = folder === file || file === '-';
      if (isNamed || mayBeLog.test(basename(file))) {
        await readLog(file, isNamed, collector, progress, options);
      }
    }
  }
  return collector.auditLog();
}

/** So much of a file in a folder is read to find an event in it, unless its name says that it is an audit log. */
const longestWithoutEvent = 1024 * 1024;

async function readLog(
  path: string,
  isNamed: boolean,
  collector: EventCollector,
  progress: { bytes: number },
  options: AuditLogOptions,
): Promise<void> {
  const { stdin, onProgress, signal } = options;
  async function* counted(): AsyncGenerator<Buffer> {
    // Node opens its standard input when it is first asked for.
    const source = path === '-' ? (stdin ?? streamBytes(process.stdin)) : fileBytes(path);
    for await (const chunk of source) {
      signal?.throwIfAborted();
      progress.bytes += chunk.length;
      yield chunk;
    }
  }
  const log = collector.beginFile(path === '-' ? '<stdin>' : path);
  const reader = new AuditTextReader(log);
  let isLog = isNamed || /audit/i.test(basename(path));
  let unpackedBytes = 0;
  try {
    for await (const chunk of inUtf8(unpacked(counted()))) {
      signal?.throwIfAborted();
      reader.write(chunk);
      unpackedBytes += chunk.length;
      onProgress?.(progress.bytes, collector.events);
      if (!isLog && !log.hasEvents && unpackedBytes > longestWithoutEvent) break;
    }
    reader.end();
  } catch (error) {
    const isText = error instanceof TruncatedError || error instanceof UnreadableInput;
    const reason =
      error instanceof TruncatedError ? 'the compressed data is cut off' : reasonUnreadable(error);
    if (reason === undefined) throw error;
    if (isNamed && !isText) throw unreadable(path, error);
    reader.end();
    log.problem(reason);
    isLog = true;
  }
  log.end(isLog);
}

import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { readAuditLogs } from '../../../src/history/audit-log/read-audit-logs.ts';
import { tempFolder } from '../../files/temp-folder.ts';
import { eventOf, lines, namesIn } from './audit-events.ts';

const log = (name: string, second: number) => lines(eventOf(name, second));

describe('the audit logs of a folder', () => {
  test('are read in any order, packed or not, with those of several API servers', async () => {
    const folder = tempFolder({
      'master-0/audit.log': log('e', 5) + log('f', 6),
      'master-0/audit-2026-11-28T09-30-05.000.log': log('c', 3),
      'master-0/audit-2026-11-28T09-30-03.000.log.gz': gzipSync(log('a', 1)),
      'master-1/audit.log.1': log('d', 4),
      'master-1/audit.log.2.zst': zstdCompressSync(log('b', 2)),
      'audit_logs/kube-apiserver/master-2-audit.log.gz': gzipSync(log('g', 7)),
      'exports/PT1H.json': log('h', 8),
      'exports/000000.gz': gzipSync(log('i', 9)),
      'exports/insights.csv': `@timestamp,@message\n`,
      'notes.txt': log('not-read', 1),
      'pods/current.log': 'starting\n'.repeat(10),
    });
    const { requests, problems } = await readAuditLogs([folder]);
    expect(requests.map(({ name }) => name).join('')).toBe('abcdefghi');
    expect(problems).toEqual([]);
  });

  test('count a request once that is in several of them, but requests that share an audit ID each', async () => {
    const twice = lines(
      eventOf('a', 1, { stage: 'RequestReceived' }),
      eventOf('a', 1),
      eventOf('b', 2, { auditID: 'chosen' }),
      eventOf('c', 2, { auditID: 'chosen' }),
      eventOf('b', 3, { auditID: 'chosen' }),
    );
    const folder = tempFolder({ 'audit.log': twice, 'audit.log.1': twice });
    const read = await readAuditLogs([folder]);
    expect(namesIn(read)).toEqual(['delete a', 'delete b', 'delete c', 'delete b']);
    expect(read.events).toBe(10);
  });

  test('name the longest times without an event, and no address that nobody asked for', async () => {
    const at = (minutes: number, fields = {}) => {
      const time = `2026-11-28T09:${String(minutes).padStart(2, '0')}:30.000000Z`;
      const times = { requestReceivedTimestamp: time, stageTimestamp: time };
      return lines(eventOf(`at-${minutes}`, 0, { ...times, ...fields }));
    };
    const folder = tempFolder({
      'audit.log': at(40) + at(41, { verb: 'get' }) + at(46),
      'audit.log.1': at(10) + at(11, { verb: 'watch' }) + at(12),
    });
    const { gaps, requests } = await readAuditLogs([folder]);
    const minutesOf = (time: number) => new Date(time).getUTCMinutes();
    expect(gaps.map(({ from, to }) => [minutesOf(from), minutesOf(to)])).toEqual([[13, 40]]);
    expect(requests.flatMap(({ sourceIps }) => sourceIps)).toEqual([]);
  });

  test('keep the ends of a run of updates in each file: another may have a deletion between', async () => {
    const updates = (...seconds: readonly number[]) =>
      lines(...seconds.map((second) => eventOf('web', second, { verb: 'update' })));
    const folder = tempFolder({ 'a.log': updates(1, 2, 3), 'b.log': updates(5, 6, 7) });
    const { requests } = await readAuditLogs([folder]);
    expect(requests.map(({ answeredAt }) => new Date(answeredAt).getSeconds())).toEqual([
      1, 3, 5, 7,
    ]);
  });

  test('are read to their end where their names say what they are', async () => {
    const garbage = `${'oops'.padEnd(2000)}\n`.repeat(1200);
    const folder = tempFolder({
      'audit.log': garbage + log('a', 1),
      'other.log': garbage + log('b', 2),
    });
    expect(namesIn(await readAuditLogs([folder]))).toEqual(['delete a']);
  });

  test('are named with what is wrong in them', async () => {
    const folder = tempFolder({
      'audit.log': `${log('a', 1)}oops\n`,
      'kube-audit-2.log': 'oops\n',
      'other.log': 'oops\n',
    });
    const { problems } = await readAuditLogs([folder]);
    expect(problems.map((problem) => problem.replace(`${folder}/`, ''))).toEqual([
      'audit.log:2: no JSON',
      'kube-audit-2.log:1: no JSON',
      'kube-audit-2.log: no audit events',
    ]);
  });
});

describe('a file that is named', () => {
  test('is read whatever its name is', async () => {
    const folder = tempFolder({ 'yesterday.txt': log('a', 1), later: log('b', 2) });
    const paths = ['later', 'yesterday.txt'].map((name) => join(folder, name));
    expect(namesIn(await readAuditLogs(paths))).toEqual(['delete a', 'delete b']);
  });

  test('must exist', async () => {
    await expect(readAuditLogs(['/nowhere/audit.log'])).rejects.toMatchObject({
      code: 'unreadable-input',
    });
  });

  test('that is an archive or binary is reported', async () => {
    const folder = tempFolder({ 'audit.tar': Buffer.alloc(4096), 'b.log': log('a', 1) });
    const { requests, problems } = await readAuditLogs([
      join(folder, 'audit.tar'),
      join(folder, 'b.log'),
    ]);
    expect(requests.length).toBe(1);
    expect(problems).toEqual([`${folder}/audit.tar: no audit events`]);
  });
});

describe('while a log is read', () => {
  const many = lines(...Array.from({ length: 9000 }, (_, at) => eventOf(`web-${at}`, at % 60)));

  test('progress is reported in bytes as they are stored, and in events', async () => {
    const packed = gzipSync(many);
    const folder = tempFolder({ 'audit.log.gz': packed });
    const seen: (readonly [number, number])[] = [];
    await readAuditLogs([folder], { onProgress: (bytes, events) => seen.push([bytes, events]) });
    expect(seen.length).toBeGreaterThan(3);
    expect(seen.at(-1)).toEqual([packed.length, 9000]);
  });

  test('it can be aborted', async () => {
    const folder = tempFolder({ 'audit.log': many });
    const stop = new AbortController();
    const reading = readAuditLogs([folder], {
      signal: stop.signal,
      onProgress: () => stop.abort(),
    });
    await expect(reading).rejects.toThrow('aborted');
  });
});

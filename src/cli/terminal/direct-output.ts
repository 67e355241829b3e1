import { fstatSync, writeSync } from 'node:fs';

/** A pipe takes as much as this before any of it is read, on every system: to write it does not wait. */
const mostBytes = 16 * 1024;

/**
 * Node loads its streams and sockets for standard output, which takes longer than to print a short answer. Where a
 * file or pipe receives it, the first bytes are written without them; whatever else is done to a stream makes it.
 */
export function writeDirectly(): void {
  // Consoles and pipes of Windows take text in ways of their own.
  if (process.platform === 'win32') return;
  for (const [name, fd] of [['stdout', 1] as const, ['stderr', 2] as const]) {
    const stats = fstatSync(fd);
    if (stats.isFile() || stats.isFIFO() || stats.isSocket()) standIn(name, fd);
  }
}

type Listener = (error: Error) => void;
type Done = (cause?: Error | null) => void;

function standIn(name: 'stdout' | 'stderr', fd: number): void {
  const make = Object.getOwnPropertyDescriptor(process, name)?.get;
  if (make === undefined) return;
  let stream: NodeJS.WriteStream | undefined;
  let listeners: Listener[] = [];
  let left = mostBytes;
  const made = (): NodeJS.WriteStream => {
    if (stream !== undefined) return stream;
    stream = make.call(process) as NodeJS.WriteStream;
    for (const listener of listeners) stream.on('error', listener);
    return stream;
  };
  const write = (chunk: string | Uint8Array, callback?: unknown): boolean => {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    const done = typeof callback === 'function' ? (callback as Done) : () => undefined;
    left -= bytes.length;
    if (left < 0) return made().write(bytes, done);
    let at = 0;
    try {
      while (at < bytes.length) at += writeSync(fd, bytes, at);
    } catch (error) {
      // The other end of a pipe may have made it one that does not wait.
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN') {
        return made().write(bytes.subarray(at), done);
      }
      process.nextTick(() => {
        done(error as Error);
        for (const listener of listeners) listener(error as Error);
      });
      return false;
    }
    process.nextTick(done);
    return true;
  };
  const known: Record<string | symbol, unknown> = {
    ...{ fd, write, writableLength: 0 },
    ...{ isTTY: undefined, columns: undefined, rows: undefined },
    on: (event: string, listener: Listener) => {
      if (event !== 'error') return made().on(event, listener);
      listeners.push(listener);
      return direct;
    },
    removeAllListeners: (event?: string) => {
      if (event !== 'error') return made().removeAllListeners(event);
      listeners = [];
      return direct;
    },
  };
  const direct = new Proxy(known, {
    get: (_, key) => {
      if (stream === undefined && Object.hasOwn(known, key)) return known[key];
      const value = Reflect.get(made(), key);
      return typeof value === 'function' ? value.bind(made()) : value;
    },
    set: (_, key, value) => Reflect.set(made(), key, value),
    has: (_, key) => Reflect.has(made(), key),
  });
  // The same for good: what pipes into standard output (a Worker, for one) ends any other stream when it ends itself.
  Object.defineProperty(process, name, { configurable: true, enumerable: true, value: direct });
}

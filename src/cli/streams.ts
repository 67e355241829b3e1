/** The only module that writes to stdout and stderr. */

/** Writes a document to stdout; resolves when the reader took it, or went away (`| head`). */
export function writeOut(text: string): Promise<void> {
  return write(process.stdout, text);
}

/** One line for people: a remark, a warning, an error. */
export function writeErr(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** A reader that leaves early is no error: what it did not want need not be written. */
export function quietBrokenPipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
}

function write(stream: NodeJS.WriteStream, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(text, (error) => {
      if (!error || (error as NodeJS.ErrnoException).code === 'EPIPE') resolve();
      else reject(error);
    });
  });
}

/** Colours follow NO_COLOR, FORCE_COLOR, TERM=dumb and whether a terminal reads. */
export function wantsColour(stream: { isTTY?: boolean }, noColour: boolean): boolean {
  const { NO_COLOR, FORCE_COLOR, TERM } = process.env;
  if (noColour || (NO_COLOR ?? '') !== '') return false;
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
  return stream.isTTY === true && TERM !== 'dumb';
}

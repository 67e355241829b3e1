import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { Body, streamedAnswer } from '../../../src/cluster/connection/answer-body.ts';

const explain = (error: unknown) => (error ? new Error('explained', { cause: error }) : undefined);

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  let text = '';
  for await (const chunk of body) text += Buffer.from(chunk).toString();
  return text;
}

// That chunks come as they are, and readers may stop, is held over both versions of HTTP in test/cli/cluster.
test('does not let a slow reader be overrun, and gets going again', async () => {
  const stream = new PassThrough({ highWaterMark: 1 });
  const body = new Body(stream, explain)[Symbol.asyncIterator]();
  let written = 0;
  const write = async () => {
    for (; written < 1000; written++) {
      if (!stream.write('x')) await new Promise((resolve) => stream.once('drain', resolve));
    }
    stream.end();
  };
  const writing = write();
  await body.next();
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(written).toBeLessThan(100);
  expect(await textOf(body)).toBe('x'.repeat(999));
  await writing;
});

test('hands each chunk on immediately, and resolves at the end', async () => {
  const stream = new PassThrough();
  const taken: string[] = [];
  const done = new Body(stream, explain).forEach((chunk) => {
    taken.push(`${chunk}`);
  });
  for (const text of ['a', 'b', 'c']) {
    stream.write(Buffer.from(text));
    await new Promise(setImmediate);
    expect(taken.at(-1)).toBe(text);
  }
  stream.end();
  await done;
  expect(taken).toEqual(['a', 'b', 'c']);
});

test('a failure before or after the first chunk keeps its message', async () => {
  for (const chunks of [1, 0]) {
    const stream = new PassThrough();
    const taken: Uint8Array[] = [];
    const done = new Body(stream, explain).forEach((chunk) => {
      taken.push(chunk);
    });
    if (chunks > 0) stream.write('a');
    await new Promise(setImmediate);
    const cause = new Error('broken');
    stream.destroy(cause);
    await expect(done).rejects.toEqual(explain(cause));
    expect(taken).toHaveLength(chunks);
  }
});

test('an error of the consumer ends the stream, and no further chunk is passed on', async () => {
  const stream = new PassThrough();
  const fault = new Error('malformed');
  let taken = 0;
  const done = new Body(stream, explain).forEach(() => {
    taken++;
    throw fault;
  });
  stream.write('a');
  stream.write('b');
  await expect(done).rejects.toBe(fault);
  expect({ taken, destroyed: stream.destroyed }).toEqual({ taken: 1, destroyed: true });
});

test.each(['br', 'zstd', 'gzip, gzip'])('an answer encoded as %s is refused', async (encoding) => {
  const stream = new PassThrough();
  const headers = { 'content-encoding': encoding };
  const error = await streamedAnswer(200, headers, stream, explain).catch((reason) => reason);
  expect(error.code).toBe('unknown-encoding');
  expect(error.message.replace(encoding, 'ENCODING')).toMatchInlineSnapshot(
    `"the answer is encoded as ENCODING, which was not asked for"`,
  );
  expect(stream.destroyed).toBe(true);
});

test.each([undefined, '', 'identity', 'Identity'])(
  'an answer encoded as %s is taken',
  async (name) => {
    const stream = new PassThrough();
    const { body } = await streamedAnswer(200, { 'content-encoding': name }, stream, explain);
    stream.end('plain');
    expect(await textOf(body)).toBe('plain');
  },
);

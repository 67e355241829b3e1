import { DocumentReader } from './document-reader.ts';
import { inUtf8 } from './in-utf8.ts';
import type { Piece } from './piece.ts';
import type { PieceReader } from './piece-reader.ts';
import { NotText } from './refusal.ts';
import { CutOff, unpacked } from './unpack.ts';

/** Reads an input to its end, a chunk at a time; throws what the operating system says, and NotText. */
export async function readInput(bytes: AsyncIterable<Buffer>, reader: PieceReader): Promise<void> {
  const pieces: Piece[] = [];
  const documents = new DocumentReader((piece) => pieces.push(piece));
  const readPieces = async (): Promise<void> => {
    for (const piece of pieces) await reader.read(piece);
    pieces.length = 0;
  };
  let isFirst = true;
  let cutOff = false;
  try {
    for await (const chunk of inUtf8(unpacked(bytes))) {
      if (isFirst) refuseBinary(chunk);
      isFirst = false;
      documents.write(chunk);
      await readPieces();
    }
  } catch (error) {
    if (!(error instanceof CutOff)) throw error;
    cutOff = true;
  }
  documents.end(cutOff);
  await readPieces();
}

const archives: readonly (readonly [string, number, string])[] = [
  ['a tar archive', 257, 'ustar'],
  ['a zip archive', 0, 'PK\u0003\u0004'],
  ['packed with bzip2', 0, 'BZh9'],
  ['packed with xz', 0, '\u00fd7zXZ'],
];

function refuseBinary(chunk: Buffer): void {
  for (const [what, at, mark] of archives) {
    const found = chunk.toString('latin1', at, at + mark.length);
    if (found === mark) throw new NotText(`it is ${what}: unpack it first`);
  }
  if (chunk.subarray(0, 8192).includes(0)) throw new NotText('it is a binary file');
}

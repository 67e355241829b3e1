/** What is needed next: so many bytes to look at, or to pass by. */
interface Wanted {
  readonly bytes: number;
  readonly isPassedBy?: boolean;
}

/**
 * Follows the frames of zstd data without unpacking them (RFC 8878, section 3.1): Node's unpacker does not
 * say that the data end within the first four bytes of a frame, or that something else stands there.
 */
export class ZstdFrames {
  readonly #steps = frames();
  #wanted: Wanted = this.#steps.next().value;
  #seen = Buffer.alloc(0);
  /** Is this the beginning of a frame? */
  #isBetween = true;

  /** Did what was written end with a frame? */
  get isWhole(): boolean {
    return this.#isBetween && this.#seen.length === 0;
  }

  write(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length) {
      const { bytes, isPassedBy = false } = this.#wanted;
      const taken = chunk.subarray(at, at + bytes - (isPassedBy ? 0 : this.#seen.length));
      at += taken.length;
      if (isPassedBy) this.#wanted = { bytes: bytes - taken.length, isPassedBy };
      else this.#seen = Buffer.concat([this.#seen, taken]);
      if (isPassedBy ? this.#wanted.bytes === 0 : this.#seen.length === bytes) this.#next();
    }
  }

  #next(): void {
    do {
      this.#wanted = this.#steps.next(this.#seen).value;
      this.#seen = Buffer.alloc(0);
    } while (this.#wanted.bytes === 0);
    this.#isBetween = this.#wanted === magic;
  }
}

const magic: Wanted = { bytes: 4 };
/** There is no frame here: nothing behind it counts. */
const rubbish: Wanted = { bytes: Number.POSITIVE_INFINITY, isPassedBy: true };
const frameMagic = 0xfd2fb528;
const skippableMagic = 0x184d2a5;

function* frames(): Generator<Wanted, never, Buffer> {
  for (;;) {
    const start = (yield magic).readUInt32LE();
    if (start >>> 4 === skippableMagic) {
      const size = (yield { bytes: 4 }).readUInt32LE();
      yield { bytes: size, isPassedBy: true };
    } else if (start === frameMagic) yield* frame();
    else for (;;) yield rubbish;
  }
}

function* frame(): Generator<Wanted, void, Buffer> {
  const descriptor = (yield { bytes: 1 }).readUInt8();
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const sizeBytes = [isSingleSegment ? 1 : 0, 2, 4, 8][descriptor >>> 6] ?? 0;
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 3] ?? 0;
  yield { bytes: (isSingleSegment ? 0 : 1) + dictionaryBytes + sizeBytes, isPassedBy: true };
  for (let isLast = false; !isLast; ) {
    const header = (yield { bytes: 3 }).readUIntLE(0, 3);
    isLast = (header & 1) === 1;
    const isRunLength = ((header >>> 1) & 3) === 1;
    yield { bytes: isRunLength ? 1 : header >>> 3, isPassedBy: true };
  }
  yield { bytes: (descriptor & 4) === 0 ? 0 : 4, isPassedBy: true };
}

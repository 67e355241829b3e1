import type { AuditedRequest } from '../audited-request.ts';

const rowsOfBlock = 4096;
const bytesOfPage = 256 * 1024;
/** UTF-8 has so many for one unit of a string. */
const mostBytesOfUnit = 3;

/** The numbers of a request: of texts that it shares with others, its flags, of what few have, and where its own texts are. */
const column = {
  user: 0,
  impersonated: 1,
  userAgent: 2,
  group: 3,
  resource: 4,
  subresource: 5,
  namespace: 6,
  flags: 7,
  extras: 8,
  page: 9,
  start: 10,
  bytes: 11,
  idLength: 12,
  nameLength: 13,
} as const;
const rowLength = 14;

const writingVerbs = ['create', 'update', 'patch', 'delete', 'deletecollection'] as const;
/** Above the number of a verb; the status stands above them. */
const flag = { isRemoval: 8, isDryRun: 16, hasBody: 32 } as const;
const statusFactor = 64;

interface Block {
  readonly times: Float64Array;
  readonly numbers: Uint32Array;
}

/**
 * Requests in half of the memory of as many objects, and out of the garbage collector's way: numbers in typed arrays, texts
 * as bytes. No text of theirs contains the line that it was read from.
 */
export class RequestStore {
  length = 0;
  readonly #blocks: Block[] = [];
  readonly #pages: Buffer[] = [];
  #usedOfPage = 0;
  /** Users, programs, kinds and namespaces are few, and each is in thousands of requests. */
  readonly #texts = new Numbered((text: string) => text, copyOf);
  readonly #extras = new Numbered(
    (extras: Extras) => JSON.stringify(extras),
    (extras) => extras,
  );
  /** By the number of a user: a user mostly has one program, whose name is long. */
  readonly #lastAgents: number[] = [];

  /** Answers its index. */
  push(request: AuditedRequest): number {
    if (this.length % rowsOfBlock === 0) {
      const numbers = new Uint32Array(rowsOfBlock * rowLength);
      this.#blocks.push({ times: new Float64Array(rowsOfBlock * 2), numbers });
    }
    this.set(this.length, request);
    return this.length++;
  }

  /** In the place of another one. */
  set(index: number, request: AuditedRequest): void {
    const { times, numbers } = this.#block(index);
    const row = index % rowsOfBlock;
    times[2 * row] = request.receivedAt;
    times[2 * row + 1] = request.answeredAt;
    const at = row * rowLength;
    numbers[at + column.user] = this.#texts.numberOf(request.user);
    numbers[at + column.impersonated] = this.#texts.numberOf(request.impersonated ?? '');
    numbers[at + column.userAgent] = this.#agentNumber(numbers[at + column.user] ?? 0, request);
    numbers[at + column.group] = this.#texts.numberOf(request.group);
    numbers[at + column.resource] = this.#texts.numberOf(request.resource);
    numbers[at + column.subresource] = this.#texts.numberOf(request.subresource);
    numbers[at + column.namespace] = this.#texts.numberOf(request.namespace);
    numbers[at + column.flags] = flagsOf(request);
    const extras = extrasOf(request);
    numbers[at + column.extras] = extras ? 1 + this.#extras.numberOf(extras) : 0;
    this.#setTexts(numbers, at, request);
  }

  #agentNumber(user: number, { userAgent }: AuditedRequest): number {
    const last = this.#lastAgents[user];
    if (last !== undefined && this.#texts.at(last) === userAgent) return last;
    const number = this.#texts.numberOf(userAgent);
    this.#lastAgents[user] = number;
    return number;
  }

  #setTexts(numbers: Uint32Array, at: number, { auditId, name, uid = '' }: AuditedRequest): void {
    const text = auditId + name + uid;
    numbers[at + column.idLength] = auditId.length;
    numbers[at + column.nameLength] = name.length;
    // An object that is updated again and again has texts of the same length each time.
    const bytes = numbers[at + column.bytes] ?? 0;
    if (bytes > 0 && bytes === Buffer.byteLength(text)) {
      this.#pages[numbers[at + column.page] ?? 0]?.write(text, numbers[at + column.start] ?? 0);
      return;
    }
    const most = text.length * mostBytesOfUnit;
    if (this.#usedOfPage + most > (this.#pages.at(-1)?.length ?? 0)) {
      this.#pages.push(Buffer.allocUnsafeSlow(Math.max(bytesOfPage, most)));
      this.#usedOfPage = 0;
    }
    const page = this.#pages.length - 1;
    const written = this.#pages[page]?.write(text, this.#usedOfPage) ?? 0;
    numbers[at + column.page] = page;
    numbers[at + column.start] = this.#usedOfPage;
    numbers[at + column.bytes] = written;
    this.#usedOfPage += written;
  }

  at(index: number): StoredRequest {
    return new StoredRequest(this, this.#block(index), index % rowsOfBlock);
  }

  all(): AuditedRequest[] {
    return Array.from({ length: this.length }, (_, index) => this.at(index));
  }

  #block(index: number): Block {
    return this.#blocks[Math.floor(index / rowsOfBlock)] as Block;
  }

  textAt(number: number): string {
    return this.#texts.at(number);
  }

  extrasAt(number: number): Extras {
    return number === 0 ? noExtras : this.#extras.at(number - 1);
  }

  ownTextsAt(page: number, start: number, bytes: number): string {
    return this.#pages[page]?.toString('utf8', start, start + bytes) ?? '';
  }
}

/** Values that are stored once, by number. */
class Numbered<From, V> {
  readonly #keyOf: (from: From) => string;
  readonly #make: (from: From) => V;
  readonly #numbers = new Map<string, number>();
  readonly #values: V[] = [];

  constructor(keyOf: (from: From) => string, make: (from: From) => V) {
    this.#keyOf = keyOf;
    this.#make = make;
  }

  numberOf(from: From): number {
    const key = this.#keyOf(from);
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const number = this.#values.push(this.#make(from)) - 1;
    this.#numbers.set(copyOf(key), number);
    return number;
  }

  at(number: number): V {
    return this.#values[number] as V;
  }
}

/** A part of a text keeps the whole text in memory. */
export function copyOf(text: string): string {
  return Buffer.from(text).toString();
}

type Extras = Pick<
  AuditedRequest,
  'sourceIps' | 'propagationPolicy' | 'labelSelector' | 'fieldSelector' | 'guard' | 'body'
>;

const noExtras: Extras = {
  sourceIps: [],
  propagationPolicy: undefined,
  labelSelector: undefined,
  fieldSelector: undefined,
  guard: undefined,
  body: undefined,
};

function extrasOf(request: AuditedRequest): Extras | undefined {
  const { sourceIps, propagationPolicy, labelSelector, fieldSelector, guard, body } = request;
  const hasSome =
    sourceIps.length > 0 ||
    (propagationPolicy ?? labelSelector ?? fieldSelector ?? guard ?? body) !== undefined;
  return hasSome
    ? { sourceIps, propagationPolicy, labelSelector, fieldSelector, guard, body }
    : undefined;
}

function flagsOf({ verb, status, isRemoval, isDryRun, hasBody }: AuditedRequest): number {
  return (
    writingVerbs.indexOf(verb) +
    (isRemoval ? flag.isRemoval : 0) +
    (isDryRun ? flag.isDryRun : 0) +
    (hasBody ? flag.hasBody : 0) +
    status * statusFactor
  );
}

/** Its fields are read from the store each time. */
export class StoredRequest implements AuditedRequest {
  readonly #store: RequestStore;
  readonly #block: Block;
  readonly #row: number;

  constructor(store: RequestStore, block: Block, row: number) {
    this.#store = store;
    this.#block = block;
    this.#row = row;
  }

  #number(at: number): number {
    return this.#block.numbers[this.#row * rowLength + at] ?? 0;
  }

  #shared(at: number): string {
    return this.#store.textAt(this.#number(at));
  }

  #has(wanted: number): boolean {
    return (this.#number(column.flags) & wanted) !== 0;
  }

  get #extras(): Extras {
    return this.#store.extrasAt(this.#number(column.extras));
  }

  get #ownTexts(): string {
    const [page, start, bytes] = [column.page, column.start, column.bytes];
    return this.#store.ownTextsAt(this.#number(page), this.#number(start), this.#number(bytes));
  }

  /** Both in one look at its texts. */
  named(): Pick<AuditedRequest, 'name' | 'uid'> {
    const text = this.#ownTexts;
    const start = this.#number(column.idLength);
    const end = start + this.#number(column.nameLength);
    return { name: text.slice(start, end), uid: text.slice(end) || undefined };
  }

  get receivedAt(): number {
    return this.#block.times[this.#row * 2] ?? 0;
  }
  get answeredAt(): number {
    return this.#block.times[this.#row * 2 + 1] ?? 0;
  }
  get auditId(): string {
    return this.#ownTexts.slice(0, this.#number(column.idLength));
  }
  get name(): string {
    return this.named().name;
  }
  get uid(): string | undefined {
    return this.named().uid;
  }
  get user(): string {
    return this.#shared(column.user);
  }
  get impersonated(): string | undefined {
    return this.#shared(column.impersonated) || undefined;
  }
  get userAgent(): string {
    return this.#shared(column.userAgent);
  }
  get group(): string {
    return this.#shared(column.group);
  }
  get resource(): string {
    return this.#shared(column.resource);
  }
  get subresource(): string {
    return this.#shared(column.subresource);
  }
  get namespace(): string {
    return this.#shared(column.namespace);
  }
  get verb(): AuditedRequest['verb'] {
    return writingVerbs[this.#number(column.flags) % flag.isRemoval] ?? 'update';
  }
  get status(): number {
    return Math.floor(this.#number(column.flags) / statusFactor);
  }
  get isRemoval(): boolean {
    return this.#has(flag.isRemoval);
  }
  get isDryRun(): boolean {
    return this.#has(flag.isDryRun);
  }
  get hasBody(): boolean {
    return this.#has(flag.hasBody);
  }
  get sourceIps(): AuditedRequest['sourceIps'] {
    return this.#extras.sourceIps;
  }
  get propagationPolicy(): AuditedRequest['propagationPolicy'] {
    return this.#extras.propagationPolicy;
  }
  get labelSelector(): string | undefined {
    return this.#extras.labelSelector;
  }
  get fieldSelector(): string | undefined {
    return this.#extras.fieldSelector;
  }
  get guard(): AuditedRequest['guard'] {
    return this.#extras.guard;
  }
  get body(): AuditedRequest['body'] {
    return this.#extras.body;
  }
}

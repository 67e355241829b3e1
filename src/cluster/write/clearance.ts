import { textAt } from '../../kube/json-value.ts';
import { apiPath } from '../api-path.ts';
import type { DryRunServer } from './dry-run-server.ts';
import type { Guards, Review, WriteRequest } from './write-request.ts';

/** By what it was agreed to; `command`: by the command line alone, as kubectl takes it. */
type Agreement = 'flag' | 'question' | 'command';

/** The versions that were saved, by uid, or why none were. */
type Saved = ReadonlyMap<string, string | undefined> | 'declined' | 'one-object' | 'unread';

/** What has to be settled before anything is sent, for each purpose. */
export interface Grounds {
  /** `refusals`: what the limits, protection and gaps say against it, which is nothing. */
  readonly deletion: {
    readonly uids: Iterable<string>;
    readonly refusals: readonly [];
    readonly agreed: Agreement;
    readonly saved: Saved;
  };
  readonly fix: {
    readonly uids: Iterable<string>;
    readonly agreed: Agreement;
    readonly saved: Saved;
  };
  /** `paths`: of the objects that were shown, and of what has to change for them. */
  readonly restoration: { readonly paths: Iterable<string>; readonly agreed: Agreement };
  /** Plays a controller, on a server that has none. */
  readonly controller: { readonly server: string };
  /** `uids`: what it may change beside what it creates, which is nothing. */
  readonly probe: { readonly uids: readonly []; readonly agreed: 'flag' };
  /** `uids`: reports of earlier runs. */
  readonly report: { readonly uids: Iterable<string>; readonly agreed: 'flag' };
  /** `uids`: the webhook configuration that has to trust a certificate, as a flag names it. */
  readonly certificate: { readonly uids: Iterable<string>; readonly agreed: 'flag' };
  /** `path`: as the user wrote it. */
  readonly raw: { readonly path: string; readonly refusals: readonly [] };
}

type Purpose = keyof Grounds;

/** A change of an object that was read, by its uid, or a new object. */
type BoundWrite = WriteRequest & ({ readonly guards: Guards } | { readonly verb: 'create' });

/** What a purpose may send: controllers delete collections, and a path that the user wrote names no uid. */
type Covered<P extends Purpose> = P extends 'controller' | 'raw' ? WriteRequest : BoundWrite;

/** Not exported: nothing else makes a ClearedWrite. */
const gate: unique symbol = Symbol('gate');

/** A request that may be sent; a connection sends nothing else but reads. */
export class ClearedWrite {
  readonly #isCleared: boolean;
  readonly write: WriteRequest;
  readonly purpose: Purpose | 'review' | 'rehearsal';

  constructor(by: typeof gate, write: WriteRequest, purpose: ClearedWrite['purpose']) {
    this.#isCleared = by === gate;
    this.write = write;
    this.purpose = purpose;
  }

  /** Does the server answer it and store nothing? */
  get isQuestion(): boolean {
    return this.purpose === 'review' || this.purpose === 'rehearsal';
  }

  /** Of a value that came past the compiler, by `as` or `any`. */
  static is(value: unknown): value is ClearedWrite {
    return typeof value === 'object' && value !== null && #isCleared in value && value.#isCleared;
  }
}

/** A question to the authorizer: the server answers it and stores nothing. */
export function review(path: string, body: Review): ClearedWrite {
  return new ClearedWrite(gate, { verb: 'review', path, body }, 'review');
}

/** A request that the server judges and does not store, where its server is known to heed that. */
export function rehearsal(write: WriteRequest, server: DryRunServer): ClearedWrite {
  if (!server.serves(write.path)) throw new Error(`${write.path} is served by another server`);
  return new ClearedWrite(gate, { ...write, dryRun: true }, 'rehearsal');
}

/** The right to send the requests of one purpose. A test lists the places that grant one. */
export class Clearance<P extends Purpose> {
  readonly #purpose: P;
  readonly #uids: Set<string> | undefined;
  readonly #paths: ReadonlySet<string> | undefined;

  private constructor(purpose: P, grounds: Grounds[Purpose]) {
    this.#purpose = purpose;
    this.#uids = 'uids' in grounds ? new Set(grounds.uids) : undefined;
    if ('paths' in grounds) this.#paths = new Set(grounds.paths);
    else if ('path' in grounds) this.#paths = new Set([grounds.path]);
  }

  static grant<P extends Purpose>(purpose: P, grounds: Grounds[P]): Clearance<P> {
    return new Clearance(purpose, grounds);
  }

  /** This request under this clearance; throws where it goes further. */
  covers(write: Covered<P>): ClearedWrite {
    if (this.#isCovered(write)) return new ClearedWrite(gate, write, this.#purpose);
    const { verb, path, guards } = write;
    throw new Error(`a ${this.#purpose} has no clearance to ${verb} ${path} (uid ${guards?.uid})`);
  }

  #isCovered(write: WriteRequest): boolean {
    const { verb, path, guards } = write;
    switch (this.#purpose as Purpose) {
      case 'controller':
        return true;
      case 'raw':
        return this.#paths?.has(path) === true;
      case 'restoration':
        return (
          (verb === 'create' || !!guards?.uid) &&
          objectPathsOf(write).some((object) => this.#paths?.has(object))
        );
      case 'probe':
      case 'report':
        return verb === 'create' || this.#isOfUid(write);
      default:
        return verb !== 'create' && this.#isOfUid(write);
    }
  }

  #isOfUid({ guards }: WriteRequest): boolean {
    return guards !== undefined && guards.uid !== '' && this.#uids?.has(guards.uid) === true;
  }

  /** What was created under it may be changed under it. */
  created(uid: string): void {
    this.#uids?.add(uid);
  }
}

/** The paths that the object of a request may have: `/status` ends a subresource's path, or is the name of an object. */
function objectPathsOf({ verb, path, body }: WriteRequest): readonly string[] {
  if (verb !== 'create') return [path, path.replace(/\/status$/, '')];
  const name = textAt(body, 'metadata.name');
  return [name === '' ? path : `${path}${apiPath(name)}`];
}

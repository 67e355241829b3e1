import { isBuiltInGroup } from '../kube/resource-types.ts';

/** An answer other than the objects that were asked for. */
interface Refused {
  readonly verb: 'get' | 'list';
  /** HTTP status. */
  readonly status: number;
  /** The server's words. */
  readonly message: string;
}

/**
 * Does the server report that a kind cannot be listed at all, so that the garbage collector cannot list it either?
 * An answer of a busy server, or a single failure, does not show that. `group`: of the kind.
 */
export function saysUnlistable(group: string, { verb, status, message }: Refused): boolean {
  if (isConversionFailure(message) || damagedIn(message).length > 0 || isUndecodable(message)) {
    return true;
  }
  if (verb !== 'list') return false;
  return status === 404 || status === 405 || (!isBuiltInGroup(group) && message === withoutServer);
}

/** What kube-aggregator answers for an APIService that is not available (k8s.io/kube-aggregator handler_proxy.go). */
const withoutServer = 'service unavailable';

/** Does the API server say that a conversion webhook failed? It gives no other sign of it. */
export function isConversionFailure(message: string): boolean {
  return message.includes('conversion webhook');
}

/** The server's words, without what was asked. */
export function conversionMessage(message: string): string {
  return message.slice(Math.max(0, message.indexOf('conversion webhook')));
}

/** What a list could not be read for: objects in etcd. */
export interface DamagedObject {
  /** `/registry/configmaps/shop/a`. */
  readonly key: string;
  readonly why: string;
}

/** The objects that an API server names because it cannot read them from etcd: of a list, and of a single object. */
export function damagedIn(message: string): DamagedObject[] {
  return [...damagedOfList(message), ...damagedAlone(message)];
}

/** `/registry/configmaps/shop/a (object not decodable)`, any number of them. */
function* damagedOfList(message: string): Iterable<DamagedObject> {
  const keys = /\/registry\/\S+/g;
  for (const { 0: key, index } of message.matchAll(keys)) {
    const from = index + key.length;
    if (!message.startsWith(' (', from)) continue;
    const to = message.indexOf(')', from);
    if (to < 0) return;
    yield { key, why: message.slice(from + 2, to) };
  }
}

/** Mirrors NewCorruptObjError, k8s.io/apiserver pkg/storage/errors.go. */
function* damagedAlone(message: string): Iterable<DamagedObject> {
  const begin = message.indexOf('corrupt object, ');
  const [, key] = begin < 0 ? [] : (/Key: (\/[^,\s]+),/.exec(message.slice(begin)) ?? []);
  const why = message.indexOf(saidBehind, begin);
  const end = message.indexOf(' revision=', why);
  if (key === undefined || why < 0 || end < 0) return;
  yield { key, why: message.slice(why + saidBehind.length, end) };
}

const saidBehind = 'AdditionalErrorMsg: ';

/**
 * The API server cannot fill its cache of the kind, as it cannot decode an object in etcd and does not name it. That it
 * cannot reach etcd says nothing about the kind.
 */
function isUndecodable(message: string): boolean {
  const [, cause] = /^storage is \(re\)initializing: (.*)/s.exec(message) ?? [];
  return cause !== undefined && !/\b(etcd|rpc error|deadline|connection|canceled)/.test(cause);
}

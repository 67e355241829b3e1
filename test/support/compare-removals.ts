import type { Removal, RemovalLink } from '../../src/history/deletions/removal.ts';
import type { TrueLink, TrueObject, TrueRemoval } from './true-removals.ts';

/**
 * What an answer is worth, the best first: the whole chain; the whole chain, of which some might be otherwise; a part of it,
 * or a wrong guess that says that it is one; or something that did not happen, given as seen or as following.
 */
export type Verdict = 'true' | 'unsure' | 'short' | 'wrong';

export interface Judged {
  readonly verdict: Verdict;
  /** Empty with `true`. */
  readonly because: string;
}

/** Clients of kube-controller-manager whose controllers have other names. */
const controllerOf: Readonly<Record<string, string>> = {
  'attachdetach-controller': 'persistentvolume-attach-detach-controller',
  'certificate-controller': 'certificatesigningrequest-cleaner-controller',
  'daemon-set-controller': 'daemonset-controller',
  'endpoint-controller': 'endpoints-controller',
  'endpointslicemirroring-controller': 'endpointslice-mirroring-controller',
  'generic-garbage-collector': 'garbage-collector-controller',
  'legacy-service-account-token-cleaner': 'legacy-serviceaccount-token-cleaner-controller',
  'node-controller': 'taint-eviction-controller',
  'persistent-volume-binder': 'persistentvolume-binder-controller',
  'pod-garbage-collector': 'pod-garbage-collector-controller',
  podcertificaterequestcleaner: 'podcertificaterequest-cleaner-controller',
  'pv-protection-controller': 'persistentvolume-protection-controller',
  'pvc-protection-controller': 'persistentvolumeclaim-protection-controller',
  'replication-controller': 'replicationcontroller-controller',
  'resource-claim-controller': 'resourceclaim-controller',
  'token-cleaner': 'token-cleaner-controller',
  'tokens-controller': 'serviceaccount-token-controller',
};

const order: readonly Verdict[] = ['true', 'unsure', 'short', 'wrong'];

/** Who sent a DELETE or an eviction of an object of this name that succeeded. */
export type Deleters = (object: TrueObject) => ReadonlySet<string>;

/** Compares an answer with what happened. */
export function judgeRemoval(truth: TrueRemoval, removal: Removal, others?: Deleters): Judged {
  const beside = wrongBeside(truth, removal, others !== undefined);
  if (beside) return { verdict: 'wrong', because: beside };
  return bestOf(truth.chains.map((chain) => judgeLinks(chain, removal.links, others)));
}

/**
 * The same for a log of which lines are lost. The last deletion of a name may be among them, so that the answer is about an
 * earlier object; and where two have asked for the deletion of an object, the first of them.
 */
export function judgePartly(
  truths: readonly TrueRemoval[],
  { group, resource, namespace, name }: TrueRemoval,
  removal: Removal,
  others: Deleters,
): Judged {
  const same = truths.filter(
    (one) =>
      [one.group, one.resource, one.namespace, one.name].join() ===
        [group, resource, namespace, name].join() &&
      (removal.object.uid === '' || removal.object.uid === one.uid),
  );
  if (same.length === 0 && removal.links.every(({ cause }) => cause === 'unknown')) {
    return { verdict: 'short', because: 'no answer' };
  }
  return bestOf(same.map((truth) => judgeRemoval(truth, removal, others)));
}

function bestOf(judged: readonly Judged[]): Judged {
  const [best] = judged.toSorted((a, b) => order.indexOf(a.verdict) - order.indexOf(b.verdict));
  return best ?? { verdict: 'wrong', because: 'no such object' };
}

/** From the lines of a whole log. */
export function deletersIn(lines: readonly string[]): Deleters {
  const users = new Map<string, Set<string>>();
  const keyOf = (resource: string, namespace: string, name: string) =>
    `${resource} ${namespace} ${name}`;
  for (const line of lines) {
    const { verb, user, objectRef, responseStatus } = JSON.parse(line) as LoggedRequest;
    const { resource = '', namespace = '', name = '', subresource } = objectRef ?? {};
    const isAsked = verb === 'delete' || subresource === 'eviction';
    if (!isAsked || !responseStatus || responseStatus.code >= 300) continue;
    // A Namespace is logged as if it were in itself.
    const key = keyOf(resource, resource === 'namespaces' ? '' : namespace, name);
    users.set(key, (users.get(key) ?? new Set()).add(user.username));
  }
  return ({ kind, namespace, name }) =>
    users.get(keyOf(`${kind.toLowerCase()}s`, namespace, name)) ?? new Set();
}

/** A line of an audit log. */
export interface LoggedRequest {
  readonly verb: string;
  readonly user: { readonly username: string };
  readonly objectRef?: {
    readonly resource: string;
    readonly namespace?: string;
    readonly name?: string;
    readonly subresource?: string;
  };
  readonly responseStatus?: { readonly code: number };
}

/** What is said of the object beside its chain. */
function wrongBeside(
  { endedBy, recreatedBy }: TrueRemoval,
  removal: Removal,
  isPart: boolean,
): string | undefined {
  const { links, recreated } = removal;
  const ended = links[0]?.ended;
  if (ended && ended.certainty !== 'might be' && endedBy && !isSame(endedBy, ended.requester)) {
    return `ended by ${ended.requester.user}, and not by ${endedBy}`;
  }
  // Where lines are lost, what is read is a later creation.
  if (recreated && !isPart && !(recreatedBy && isSame(recreatedBy, recreated.requester))) {
    return `recreated by ${recreated.requester.user}, and not by ${recreatedBy ?? 'anybody'}`;
  }
  return undefined;
}

/** A controller sends requests by its own account, or by a shared one and says who it is in its user agent. */
function isSame(who: string, { user, userAgent }: { user: string; userAgent: string }): boolean {
  return user === who || user.endsWith(`:${who}`) || userAgent.endsWith(`/${who}`);
}

function judgeLinks(
  truth: readonly TrueLink[],
  links: readonly RemovalLink[],
  others: Deleters = () => new Set(),
): Judged {
  let at = 0;
  let guess = '';
  for (const link of links) {
    if (link.cause === 'unknown') break;
    const found = truth.findIndex((one, place) => place >= at && isObject(one.object, link));
    const expected = truth[found];
    const claim = `${link.certainty}: ${nameOf(link.object)} ${link.cause}`;
    const wrong = expected ? contradiction(expected, link) : 'no part in this';
    // What is said beneath a guess is one as well.
    const isAsked = expected && others(expected.object).has(link.requester?.user ?? '');
    if (link.certainty === 'might be' || (wrong && isAsked)) guess ||= claim;
    if (wrong) return { verdict: guess ? 'short' : 'wrong', because: `${claim}: ${wrong}` };
    const skipped = truth.slice(at, found).find(({ isOptional }) => !isOptional);
    if (skipped) return { verdict: 'short', because: `without ${nameOf(skipped.object)}` };
    at = found + 1;
  }
  const missing = truth.slice(at).find(({ isOptional }) => !isOptional);
  if (missing) return { verdict: 'short', because: `${nameOf(missing.object)} is missing` };
  return guess ? { verdict: 'unsure', because: guess } : { verdict: 'true', because: '' };
}

/** The field or flag that decides by a rule, as upstream's documentation of each names it. */
const settingOf: Readonly<Record<string, string>> = {
  'BT-1': 'data.expiration',
  'CJ-4': 'spec.successfulJobsHistoryLimit or spec.failedJobsHistoryLimit',
  'CRH-1': 'spec.revisionHistoryLimit',
  'CRH-2': 'spec.revisionHistoryLimit',
  'DEV-1': 'spec.devices[].taints',
  'NODE-7': 'spec.tolerations',
  'PG-5': '--terminated-pod-gc-threshold',
  'PV-7': 'spec.persistentVolumeReclaimPolicy',
  'RSH-5': 'spec.revisionHistoryLimit',
  'SAT-4': '--legacy-service-account-token-clean-up-period',
  'TTL-4': 'spec.ttlSecondsAfterFinished',
};

function contradiction(truth: TrueLink, link: RemovalLink): string | undefined {
  const { cause, controller, user, impersonated, rule = '' } = truth;
  const { requester } = link;
  if (rule !== '' && link.rule !== undefined && link.rule !== rule) {
    return `rule ${link.rule}, and not ${rule}`;
  }
  const setting = settingOf[rule];
  if (setting !== undefined && link.setting !== setting) {
    return `setting ${link.setting}, and not ${setting}`;
  }
  // That the garbage collector deleted it is true of an owner that was deleted, and of one that never existed.
  const isWeaker = link.cause === 'collected' && (cause === 'owner' || cause === 'reference');
  if (cause !== link.cause && !isWeaker) return `it was ${cause}`;
  if (
    controller &&
    link.controller &&
    nameOfController(controller) !== nameOfController(link.controller)
  ) {
    return `${link.controller}, and not ${controller}`;
  }
  if (!requester) return undefined;
  if (user && requester.user !== user) return `${requester.user}, and not ${user}`;
  if (user && requester.impersonated !== impersonated) return `as ${requester.impersonated}`;
  if (!user && !requester.user.startsWith('system:')) return `${requester.user} sent nothing`;
  return undefined;
}

const nameOfController = (name: string) => controllerOf[name] ?? name;
const nameOf = ({ kind, namespace, name }: TrueObject) => `${kind} ${namespace}/${name}`;

/** An answer knows no more than the plural of a kind that was not read. */
function isObject({ kind, namespace, name }: TrueObject, { object }: RemovalLink): boolean {
  const isKind = [kind, `${kind}s`].some(
    (text) => text.toLowerCase() === object.kind.toLowerCase().split('.')[0],
  );
  return isKind && object.namespace === namespace && object.name === name;
}

/** What can be asked for by a name: of several objects of one name, the last. */
export function lastOfName(removals: readonly TrueRemoval[]): TrueRemoval[] {
  const keyOf = ({ group, resource, namespace, name }: TrueRemoval) =>
    [group, resource, namespace, name].join('/');
  return [...new Map(removals.map((one) => [keyOf(one), one])).values()];
}

/** `pods/web`, `widgets.example.com/store`. */
export function targetOf({ group, resource, name }: TrueRemoval): string {
  return `${group === '' ? resource : `${resource}.${group}`}/${name}`;
}

/** The log without lines that are chosen at random: of every ten, as many as `tenths`. */
export function withoutSome(
  lines: readonly string[],
  tenths: number,
  random: (below: number) => number,
): string[] {
  return lines.filter(() => random(10) >= tenths);
}

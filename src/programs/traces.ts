/** Where to look for the program of a finalizer that is not in the list, by the names in it. */
export interface FinalizerTraces {
  /** DNS names that stand for the program: `db.example.com` of `db.example.com/cleanup`, and the API group. */
  readonly domains: readonly string[];
  /** The same and the domains above them, by which a leader election Lease is often named. */
  readonly wideDomains: readonly string[];
  /** Words of a program's name: `db`. */
  readonly words: readonly string[];
}

/** Domains that any project may use in names. */
const sharedDomains = new Set(
  'k8s.io x-k8s.io sigs.k8s.io kubernetes.io github.com github.io'.split(' '),
);
/** DNS1123SubdomainMaxLength: of longer text of a file, the domains above it would fill the memory. */
const longestDomain = 253;
/** Words that the names of many programs contain: they identify no program. */
const common = wordSet(
  'agent api app apps cluster clusters common config controller controllers core default example infrastructure k8s kube kubernetes manager node nodes operator operators pod pods resource resources server service services system',
);
/** Words for what many programs do at the end of an object. */
const tasks = wordSet('cleanup delete deletion finalize finalizer finalizers protection status');

function wordSet(words: string): ReadonlySet<string> {
  return new Set(words.split(' '));
}

/** What a finalizer says that is done: `cleanup`. */
export function tasksIn(finalizer: string): string[] {
  return [...new Set(partsOf(finalizer))].filter((word) => tasks.has(word));
}

/** Is a word too common to identify a program, such as `cluster` and `cluster-cleanup`? */
export function isCommonWord(word: string): boolean {
  return partsOf(word).every((part) => part.length < 2 || common.has(part) || tasks.has(part));
}

function partsOf(text: string): string[] {
  return text.toLowerCase().split(/[^a-z0-9]+/);
}

/**
 * What a finalizer and the API group of its object say about its program; built-in groups say
 * nothing.
 */
export function tracesOf(finalizer: string, group: string): FinalizerTraces {
  const slash = finalizer.indexOf('/');
  const head = slash < 0 ? finalizer : finalizer.slice(0, slash);
  const isCustom = group.includes('.') && !group.endsWith('.k8s.io');
  const domains = [head, ...(isCustom ? [group] : [])]
    .map((domain) => domain.toLowerCase())
    .filter((domain) => domain.includes('.') && domain.length <= longestDomain)
    .filter((domain) => !sharedDomains.has(domain));
  const path = slash < 0 && head.includes('.') ? '' : finalizer.slice(slash + 1).toLowerCase();
  const program = path.replace(/[-.]?finalizers?$/, '');
  const words = [...domains.flatMap(domainWords), ...(program.length < 5 ? [] : [program])];
  return {
    domains: [...new Set(domains)],
    wideDomains: [...new Set(domains.flatMap(withParents))],
    words: [...new Set(words)].filter((word) => !isCommonWord(word)),
  };
}

/** `db` of `db.example.com`, `keda` of `keda.sh` and of `finalizer.keda.sh`. */
function domainWords(domain: string): string[] {
  const labels = domain.split('.');
  const own = labels.slice(0, -2).filter((label) => !isCommonWord(label));
  return own.length > 0 ? own : labels.slice(-2, -1);
}

/** `db.example.com` and `example.com`. */
function withParents(domain: string): string[] {
  const labels = domain.split('.');
  return labels
    .slice(0, -1)
    .map((_, index) => labels.slice(index).join('.'))
    .filter((parent) => !sharedDomains.has(parent));
}

/** Does a string contain a domain, written with dots or, as in many names, with dashes? */
export function holdsDomain(text: string, domain: string): boolean {
  return text.includes(domain) || text.includes(domain.replaceAll('.', '-'));
}

/** Is this one of the words of a name, `db` of `prod-db-operator`? */
export function holdsWord(name: string, word: string): boolean {
  return `-${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}-`.includes(
    `-${word.replaceAll(/[^a-z0-9]+/g, '-')}-`,
  );
}

/** Is a Lease named after the program? */
export function isNamedIn(lease: string, { wideDomains, words }: FinalizerTraces): boolean {
  return (
    wideDomains.some((domain) => holdsDomain(lease, domain)) ||
    words.some((word) => holdsWord(lease, word))
  );
}

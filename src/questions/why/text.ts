import { tableName, tablePlace } from '../../kube/object-reference.ts';
import { age } from '../../kube/time.ts';
import type { PageData, PageReference, PageState } from '../../output/pages/page-data.ts';
import {
  type Facts,
  figureOf,
  PageMaker,
  stillView,
  titleOfSome,
} from '../../output/pages/page-maker.ts';
import { printable } from '../../output/printable.ts';
import {
  noSign,
  type Paint,
  painted,
  type RenderOptions,
  signOf,
  styleOf,
} from '../../output/style.ts';
import type { Column } from '../../output/tables/table.ts';
import { type Link, type LinkState, linksOf, unreadOf } from '../../why/chain.ts';
import type { HealthCheck } from '../../why/garbage-collector/health-check.ts';
import type { Evidence } from '../../why/inquiry.ts';
import { blockedByWords, namesSameObject, worksExcept } from '../words.ts';
import {
  type Diagnosed,
  type DiagnosisReport,
  type GarbageCollectorHealthReport,
  linkKey,
  type PrintedCheck,
  type PrintedLink,
} from './document.ts';
import { alikeTogether, sayingOnce } from './said-once.ts';

export const diagnosisAnswer = {
  tableOf: diagnosisTable,
  pageOf: diagnosisPage,
};

/** The chain of each object as an indented list: what blocks what, and below it the evidence (`wide`) and what to do. */
export function diagnosisTable(
  report: DiagnosisReport | GarbageCollectorHealthReport,
  options: RenderOptions,
): string {
  if (report.kind === 'CollectorHealth') return healthText(report, options);
  return report.items.map((item) => itemText(item, options)).join('\n');
}

function itemText(item: Diagnosed, options: RenderOptions): string {
  const { chain, object, fix } = item;
  const { bold } = styleOf(options);
  const isShort = chain.cause !== 'terminating';
  const head = [
    `${bold(whereOf(object))} ${headlineOf(item, options.now)}`,
    ...(options.wide && !isShort ? evidenceLines(chain, '  ', options) : []),
  ];
  const { title, flags } = stepNames[fix?.insisted ? 'insisted' : 'smallest'];
  const step = fix
    ? ['', `${bold(title)} (${flags}): ${printable(fix.does)}`, `  risk: ${printable(fix.risk)}`]
    : [];
  const say = options.wide ? asItIs : sayingOnce();
  const lines = [
    ...signed(head, chain, options),
    ...chainLines(isShort ? [chain] : chain.links, '', object, { options, say }),
    ...signed(step, undefined, options),
  ];
  return `${lines.join('\n')}\n`;
}

const stepNames = {
  smallest: { title: 'Smallest step', flags: '--fix' },
  insisted: { title: 'Step that was named', flags: '--fix --remove-finalizer' },
} as const;

/** Where objects are marked, the first line of a link has its sign. */
function signed(
  lines: readonly string[],
  link: Link | undefined,
  options: RenderOptions,
): readonly string[] {
  const { marks } = options;
  if (!marks) return lines;
  const first = link ? signOf(marks.get(linkKey(link)), options) : noSign;
  return lines.map((line, index) => (index === 0 ? first : noSign) + line);
}

const headlines: Readonly<Record<Diagnosed['state'], string>> = {
  stuck: 'is stuck',
  progressing: 'is being deleted; the deletion is in progress',
  alive: 'is not being deleted',
  collectable: 'will be collected',
  overdue: 'is overdue: the garbage collector should have deleted it',
  absent: 'does not exist',
  unknown: 'might be stuck',
};

/** `is stuck: deleting for 2h, waits for Node/worker-2` */
function headlineOf(item: Diagnosed, now: number): string {
  const isUnread = item.state === 'unknown' && unreadOf(linksOf(item.chain)).length > 0;
  // Only what is being deleted can be stuck.
  const unread = item.chain.cause === 'terminating' ? 'might be stuck' : 'is in an unknown state';
  const waits = item.chain.cause !== 'terminating' && item.chain.links.some(willRemain);
  const later = waits ? ', and it will be stuck then' : '';
  const stopped = item.chain.links.find(
    ({ cause, state }) => cause === 'controller-off' && state !== 'fine',
  );
  if (stopped) return `${headlines.alive}: ${printable(stopped.because)}`;
  const headline = isUnread
    ? `${unread} (not everything could be read)`
    : item.chain.links.some(({ cause }) => cause === 'controller-deletes')
      ? isRefused(item)
        ? 'is not being deleted: it is due, and the API server refuses its deletion'
        : `is not being deleted yet; a controller will delete it${later}`
      : `${headlines[item.state]}${later}`;
  return `${headline}${waitOf(item, now)}`;
}

/** Is its deletion refused to every client? */
function isRefused({ chain }: Diagnosed): boolean {
  return chain.links.some(
    ({ cause, state }) => cause === 'admission-webhook-down' && state === 'blocked',
  );
}

/** Does a link say that an object remains once it is being deleted? */
function willRemain({ cause, state }: PrintedLink): boolean {
  return cause === 'node-not-ready' && state === 'waiting';
}

/** `: deleting for 2h, waits for Node/worker-2` */
function waitOf(item: Diagnosed, now: number): string {
  const { since } = item.chain;
  if (since === undefined) return '';
  const what = blockedByWords(item);
  return `: deleting for ${age(since, now)}${what === '' ? '' : `, waits for ${printable(what)}`}`;
}

/** How the links of an answer are printed; `say` leaves out of a reason what stands above. */
interface ChainStyle {
  readonly options: RenderOptions;
  readonly say: (text: string) => string;
}

const asItIs = (text: string) => text;

/** `above`: the object that the links are about. */
function chainLines(
  links: readonly PrintedLink[],
  prefix: string,
  above: Link['object'] | undefined,
  style: ChainStyle,
): string[] {
  const { options, say } = style;
  const { bold, dim } = styleOf(options);
  // With all evidence, and with what has changed, each has a row.
  const rows =
    options.wide || options.marks
      ? links.map((link) => ({ link, others: [] }))
      : alikeTogether(links);
  return rows.flatMap(({ link, others }, index) => {
    const last = index === rows.length - 1;
    const isSame = above && namesSameObject(link.object, above);
    const own = isSame ? '' : `${bold(whereOf(link.object))}${othersInWords(others)}: `;
    const rule = link.rule === '' || !options.wide ? '' : dim(` [${link.rule}]`);
    // That what was asked about is not there is no good news.
    const state = own === '' && link.cause === 'absent' ? 'blocked' : link.state;
    const sign = painted(linkSigns[state].text, linkSigns[state].paint, options);
    const below = `${prefix}${last ? '   ' : '│  '}`;
    const rest = `${below}${link.links.length > 0 ? '│  ' : '   '}`;
    const lines = [
      `${prefix}${last ? '└─ ' : '├─ '}${sign} ${own}${printable(say(reasonWithAge(link, options.now)))}${rule}`,
      ...evidenceLines(link, rest, options),
      ...(link.state === 'fine' ? [] : nextLines(link, rest, options)),
    ];
    return [...signed(lines, link, options), ...chainLines(link.links, below, link.object, style)];
  });
}

const linkSigns: Readonly<Record<LinkState, { readonly text: string; readonly paint: Paint }>> = {
  blocked: { text: '✗', paint: 'red' },
  waiting: { text: '…', paint: 'yellow' },
  unknown: { text: '?', paint: 'magenta' },
  holds: { text: '✓', paint: 'green' },
  fine: { text: '✓', paint: 'green' },
};

/** What to do, and the command for it on a separate line. */
function nextLines(
  { next, run }: Pick<PrintedLink, 'next' | 'run'>,
  prefix: string,
  options: RenderOptions,
): string[] {
  if (next === '') return [];
  const words = run === undefined ? next : next.slice(0, -run.length).trimEnd();
  return [
    `${prefix}${painted('→', 'cyan', options)} ${printable(words)}`,
    ...(run === undefined ? [] : [`${prefix}  ${printable(run)}`]),
  ];
}

/** Where there is room for it. What could not be read is among the warnings. */
function evidenceLines({ evidence }: Link, prefix: string, options: RenderOptions): string[] {
  const { dim } = styleOf(options);
  return options.wide ? evidence.map((entry) => `${prefix}${dim(`• ${evidenceText(entry)}`)}`) : [];
}

/** ` (and b, c and 4 more)` */
function othersInWords(others: readonly PrintedLink[]): string {
  if (others.length === 0) return '';
  const names = others.slice(0, 3).map(({ object }) => printable(object.name));
  const more = others.length - names.length;
  return ` (and ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''})`;
}

function evidenceText(entry: Evidence): string {
  const found =
    'value' in entry
      ? `${entry.value} (${entry.readAt})`
      : `could not be read: ${entry.couldNotRead}`;
  return printable(`${entry.what}: ${found}`);
}

function whereOf(object: Link['object']): string {
  return printable(tablePlace(object));
}

/** Of a deletion, how long ago it began. */
function reasonWithAge({ because, since }: Pick<Link, 'because' | 'since'>, now: number): string {
  return since === undefined ? because : because.replace(`at ${since}`, `${age(since, now)} ago`);
}

const verdicts = {
  works: 'works',
  'does-not-work': 'does not work',
  unknown: 'unknown whether it works',
} as const;

/** The garbage collector's health, one line for each check, and below it what is broken. */
function healthText(
  { checks, canary, health, because, except = [] }: GarbageCollectorHealthReport,
  options: RenderOptions,
): string {
  const say = options.wide ? asItIs : sayingOnce();
  const verdict =
    health === 'works-except' ? worksExcept(except) : `${verdicts[health]}: ${because}`;
  const lines = [`Garbage collector: ${printable(verdict)}`];
  const isFolded = ({ state, links }: PrintedCheck) =>
    options.height !== undefined && !options.wide && state === 'ok' && links.length === 0;
  const { true: folded = [], false: shown = [] } = Object.groupBy(checks, (one) =>
    isFolded(one) ? 'true' : 'false',
  );
  if (folded.length > 0) {
    lines.push(`${stateWord('ok', options)} ${folded.map(({ id }) => id).join(', ')}`);
  }
  lines.push(...shown.flatMap((one) => checkLines(one, { options, say })));
  if (canary) {
    const states = {
      collected: 'ok',
      'not-collected': 'failing',
      'not-created': 'unknown',
    } as const;
    lines.push(
      `${stateWord(states[canary.state], options)} canary: ${printable(canary.because)}`,
      ...canary.left.map(
        (name) => `   ${painted('left behind:', 'red', options)} ${printable(name)}`,
      ),
    );
  }
  return `${lines.join('\n')}\n`;
}

function checkLines(one: PrintedCheck, style: ChainStyle): string[] {
  const { options, say } = style;
  const { dim } = styleOf(options);
  const rule = one.rule === '' || !options.wide ? '' : dim(` [${one.rule}]`);
  return [
    `${stateWord(one.state, options)} ${one.id}: ${printable(say(one.because))}${rule}`,
    ...(options.wide ? one.evidence : []).map((entry) => `   ${dim(`• ${evidenceText(entry)}`)}`),
    ...(one.state === 'ok' ? [] : nextLines(one, '   ', options)),
    ...chainLines(one.links, '   ', undefined, style),
  ];
}

function stateWord(state: HealthCheck['state'], options: RenderOptions): string {
  const of = {
    ok: 'green',
    failing: 'red',
    degraded: 'yellow',
    warning: 'yellow',
    unknown: 'magenta',
  } as const;
  return painted(state.padEnd(8), of[state], options);
}

/** `why`: each object of the chain is a box, and what it waits for stands below it. */
export function diagnosisPage(report: DiagnosisReport, options: RenderOptions): PageData {
  const page = new PageMaker(linkColumns, options);
  const references: PageReference[] = [];
  const add = (deletion: PrintedLink, path: string, box = path): void => {
    const link = shownOf(deletion);
    const words = reasonWithAge(link, options.now);
    const since = [['Being deleted since', deletion.since]] as const;
    page.add(link.object, { ...linkStates[link.state], words }, [...factsIn(link), ...since], box);
    page.row(link, box);
    for (const [index, below] of link.links.entries()) {
      const next = `${path}.${index}`;
      // What blocks an object may be its own finalizer: that stands in the same box.
      const isOwn = namesSameObject(below.object, link.object);
      add(below, next, isOwn ? box : next);
      if (isOwn) continue;
      references.push({ owner: box, dependent: next, class: 'leads', because: below.because });
    }
  };
  for (const [index, { chain }] of report.items.entries()) add(chain, String(index));
  const blockers = report.items.flatMap((item) => item.blockers);
  const title = `Why ${titleOfSome(report.items.map(({ object }) => object))}`;
  return page.page(report, {
    title,
    figure: figureOf(blockers.length, 'blocker', 'blockers', !report.coverage.complete),
    first: 'outline',
    summary: report.items.flatMap((item) => diagnosisSummary(item, options)),
    references,
    legend: Object.fromEntries(Object.values(linkStates).map(({ mark, words }) => [mark, words])),
    views: [stillView(title)],
  });
}

/** That an object is being deleted is the question, not the answer: where one thing of its own blocks it, that is shown. */
function shownOf(link: PrintedLink): PrintedLink {
  const [only, ...others] = link.links;
  const isOwn = only && others.length === 0 && namesSameObject(only.object, link.object);
  return isOwn && link.cause === 'terminating' ? only : link;
}

const linkColumns: readonly Column<PrintedLink>[] = [
  ['STATE', ({ state }) => linkStates[state].words],
  ['REASON', (link, { now }) => reasonWithAge(link, now)],
  ['WHAT TO DO', ({ state, next }) => (state === 'fine' ? '' : next)],
  ['RULE', ({ rule }) => rule],
];

const linkStates: Readonly<Record<LinkState, PageState>> = {
  blocked: { mark: 'stuck', words: 'is blocked' },
  waiting: { mark: 'changes', words: 'waits' },
  holds: { mark: 'stays', words: 'keeps it' },
  fine: { mark: 'plain', words: 'is not the reason' },
  unknown: { mark: 'unknown', words: 'unknown' },
};

function factsIn({ cause, state, rule, evidence, next, finalizer, fix }: Link): Facts {
  return [
    ['State', linkStates[state].words],
    ['What to do', next],
    ['Cause', cause],
    ['Rule', rule],
    ['Finalizer', finalizer],
    ['Smallest step (--fix)', fix?.does],
    ['Risk of it', fix?.risk],
    ...evidence.map((entry: Evidence) => ['Evidence', evidenceText(entry)] as const),
  ];
}

function diagnosisSummary(item: Diagnosed, { now }: RenderOptions): string[] {
  const { fix } = item;
  const { title, flags } = stepNames[fix?.insisted ? 'insisted' : 'smallest'];
  return [
    `${tableName(item.object)} ${headlineOf(item, now)}.`,
    ...(fix ? [`${title} (${flags}): ${fix.does}. Risk: ${fix.risk}.`] : []),
  ];
}

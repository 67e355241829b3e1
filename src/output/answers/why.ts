import { age } from '../../kube/time.ts';
import { type Link, type LinkState, linksOf, unreadOf } from '../../why/chain.ts';
import type { HealthCheck } from '../../why/garbage-collector/health-check.ts';
import type { Evidence } from '../../why/inquiry.ts';
import {
  type Diagnosed,
  type DiagnosisReport,
  type GarbageCollectorHealthReport,
  linkKey,
  type PrintedCheck,
  type PrintedLink,
} from '../documents/why.ts';
import type { PageData, PageFact, PageReference, PageState } from '../pages/page-data.ts';
import { factsOf, PageObjects, pageOf, stillView, titleOfSome } from '../pages/page-parts.ts';
import { printable } from '../printable.ts';
import { noSign, type RenderOptions, signOf, styleOf } from '../style.ts';
import { nameOf, waitsFor } from '../tables/words.ts';
import type { Answer } from './answer.ts';

export const whyAnswer = { table: whyTree, page: whyPage } satisfies Answer<DiagnosisReport>;
export const healthAnswer = { table: whyGcTable } satisfies Answer<GarbageCollectorHealthReport>;

type Style = ReturnType<typeof styleOf>;

const headlines: Readonly<Record<Diagnosed['state'], string>> = {
  stuck: 'is stuck',
  progressing: 'is progressing: it is being deleted, and nothing is wrong so far',
  alive: 'is alive; it is not being deleted',
  collectable: 'is about to be collected',
  absent: 'does not exist',
  unknown: 'may be stuck; it is unknown whether it will end',
};

/** Each chain as an indented list: what holds what, and below it the evidence (`wide`) and what to do. */
function whyTree(report: DiagnosisReport, options: RenderOptions): string {
  const style = styleOf(options);
  const { marks, now, wide = false } = options;
  const signs = marks && ((link: Link) => signOf(marks.get(linkKey(link)), style));
  return report.items.map((item) => itemText(item, { style, wide, now, signs })).join('\n');
}

/** How all lines are written. */
interface Look {
  readonly style: Style;
  readonly wide: boolean;
  readonly now: number;
  /** What the lines of a link begin with, where they are marked. */
  readonly signs?: ((link: Link) => string) | undefined;
}

function signed(lines: readonly string[], first: string): string[] {
  return lines.map((line, index) => (index === 0 ? first : noSign) + line);
}

function itemText(item: Diagnosed, look: Look): string {
  const { style, wide, now, signs } = look;
  const head = [`${style.bold(whereOf(item.object))} ${headlineOf(item, now)}`];
  const isShort = item.chain.cause !== 'terminating';
  const roots = isShort ? [item.chain] : item.chain.links;
  if (wide && !isShort) head.push(...evidenceLines(item.chain, '  ', style));
  const lines = signs ? signed(head, signs(item.chain)) : head;
  for (const [index, link] of roots.entries()) {
    lines.push(...linkLines(link, '', index === roots.length - 1, item.object, look));
  }
  if (item.fix) {
    const title = item.fix.insisted
      ? `${style.bold('Step that was named')} (--fix --remove-finalizer)`
      : `${style.bold('Smallest safe step')} (--fix)`;
    const step = [
      '',
      `${title}: ${printable(item.fix.does)}`,
      `  risk: ${printable(item.fix.risk)}`,
    ];
    lines.push(...(signs ? signed(step, noSign) : step));
  }
  return `${lines.join('\n')}\n`;
}

/** `is stuck: Terminating for 2h, waiting for Node/worker-2` */
function headlineOf(item: Diagnosed, now: number): string {
  const isUnread = item.state === 'unknown' && unreadOf(linksOf(item.chain)).length > 0;
  // Only what is being deleted can be stuck.
  const unread = item.chain.cause === 'terminating' ? 'may be stuck' : 'is in an unknown state';
  const headline = isUnread
    ? `${unread}; not everything could be read`
    : item.chain.links.some(({ cause }) => cause === 'controller-deletes')
      ? 'is alive, until a controller deletes it'
      : headlines[item.state];
  return `${headline}${waitOf(item, now)}`;
}

/** `: Terminating for 2h, waiting for Node/worker-2` */
function waitOf(item: Diagnosed, now: number): string {
  const { since } = item.chain;
  if (since === undefined) return '';
  const what = waitsFor(item);
  return `: Terminating for ${age(since, now)}${what === '' ? '' : `, waiting for ${printable(what)}`}`;
}

function linkLines(
  link: PrintedLink,
  prefix: string,
  last: boolean,
  above: Link['object'],
  look: Look,
): string[] {
  const { style, wide, now, signs } = look;
  const own = isSame(link.object, above) ? '' : `${style.bold(whereOf(link.object))}: `;
  const rule = link.rule === '' || !wide ? '' : style.dim(` [${link.rule}]`);
  // That what was asked about is not there is no good news.
  const sign = mark(own === '' && link.cause === 'absent' ? 'blocked' : link.state, style);
  const told = [
    `${prefix}${last ? '└─ ' : '├─ '}${sign} ${own}${printable(reasonOf(link, now))}${rule}`,
  ];
  const below = `${prefix}${last ? '   ' : '│  '}`;
  const rest = `${below}${link.links.length > 0 ? '│  ' : '   '}`;
  if (wide) told.push(...evidenceLines(link, rest, style));
  else told.push(...unreadLines(link, rest, style));
  if (link.next !== '' && link.state !== 'fine') {
    told.push(...nextLines(link, rest, style));
  }
  const lines = signs ? signed(told, signs(link)) : told;
  for (const [index, next] of link.links.entries()) {
    lines.push(...linkLines(next, below, index === link.links.length - 1, link.object, look));
  }
  return lines;
}

/** What to do, and the command for it on a line of its own. */
function nextLines(
  { next, run }: Pick<PrintedLink, 'next' | 'run'>,
  prefix: string,
  style: Style,
): string[] {
  const words = run === undefined ? next : next.slice(0, -run.length).trimEnd();
  return [
    `${prefix}${style.cyan('→')} ${printable(words)}`,
    ...(run === undefined ? [] : [`${prefix}  ${printable(run)}`]),
  ];
}

function evidenceLines(link: Link, prefix: string, style: Style): string[] {
  return link.evidence.map((entry) => `${prefix}${style.dim(`• ${evidenceText(entry)}`)}`);
}

function unreadLines(link: Link, prefix: string, style: Style): string[] {
  return link.evidence
    .filter((entry) => 'couldNotRead' in entry)
    .map((entry) => `${prefix}${style.magenta(`• ${evidenceText(entry)}`)}`);
}

function evidenceText(entry: Evidence): string {
  const told =
    'value' in entry
      ? `${entry.value} (${entry.readAt})`
      : `could not be read: ${entry.couldNotRead}`;
  return printable(`${entry.what}: ${told}`);
}

function mark(state: LinkState, style: Style): string {
  switch (state) {
    case 'blocked':
      return style.red('✗');
    case 'waiting':
      return style.yellow('…');
    case 'unknown':
      return style.magenta('?');
    default:
      return style.green('✓');
  }
}

function whereOf({ kind, namespace, name }: Link['object']): string {
  return printable(`${kind}/${name}${namespace === '' ? '' : ` in ${namespace}`}`);
}

/** Of a deletion, how long ago it began. */
function reasonOf({ because, since }: Pick<Link, 'because' | 'since'>, now: number): string {
  return since === undefined ? because : because.replace(`at ${since}`, `${age(since, now)} ago`);
}

function isSame(a: Link['object'], b: Link['object']): boolean {
  return a.kind === b.kind && a.name === b.name && a.namespace === b.namespace;
}

/** The garbage collector's health, one line for each check, and below it what is broken. */
function whyGcTable(report: GarbageCollectorHealthReport, options: RenderOptions): string {
  const style = styleOf(options);
  const { wide = false, now } = options;
  const look = { style, wide, now };
  const lines = report.checks.flatMap((one) => checkLines(one, look));
  const { canary } = report;
  if (canary) {
    lines.push(
      `${word(canary.state === 'collected' ? 'ok' : canary.state === 'not-collected' ? 'failing' : 'unknown', style)} canary: ${printable(canary.because)}`,
    );
    for (const name of canary.left)
      lines.push(`   ${style.red('left behind:')} ${printable(name)}`);
  }
  return `${lines.join('\n')}\n`;
}

function checkLines(one: PrintedCheck, look: Look): string[] {
  const { style, wide } = look;
  const rule = one.rule === '' || !wide ? '' : style.dim(` [${one.rule}]`);
  const lines = [`${word(one.state, style)} ${one.id}: ${printable(one.because)}${rule}`];
  if (wide)
    lines.push(...one.evidence.map((entry) => `   ${style.dim(`• ${evidenceText(entry)}`)}`));
  if (one.next !== '' && one.state !== 'ok') lines.push(...nextLines(one, '   ', style));
  const nowhere = { apiVersion: '', kind: '', namespace: '', name: '', uid: '' };
  for (const [index, entry] of one.links.entries()) {
    lines.push(...linkLines(entry, '   ', index === one.links.length - 1, nowhere, look));
  }
  return lines;
}

function word(state: HealthCheck['state'], style: Style): string {
  const padded = state.padEnd(7);
  switch (state) {
    case 'ok':
      return style.green(padded);
    case 'failing':
      return style.red(padded);
    case 'warning':
      return style.yellow(padded);
    case 'unknown':
      return style.magenta(padded);
  }
}

/** `why`: each link of the chain is a box, and what it waits for stands at its right. */
function whyPage(report: DiagnosisReport, options: RenderOptions): PageData {
  const objects = new PageObjects();
  const references: PageReference[] = [];
  const rows: PageData['table']['rows'][number][] = [];
  const add = (link: Link, id: string): void => {
    objects.add(link.object, { ...linkStates[link.state], words: link.because }, factsIn(link), id);
    const next = link.state === 'fine' ? '' : link.next;
    rows.push({ object: id, cells: [linkStates[link.state].words, link.because, next, link.rule] });
    link.links.forEach((below, index) => {
      const dependent = `${id}.${index}`;
      add(below, dependent);
      references.push({ owner: id, dependent, class: 'leads', because: below.because });
    });
  };
  report.items.forEach(({ chain }, index) => {
    add(chain, String(index));
  });
  const title = `Why ${titleOfSome(report.items.map(({ object }) => object))}`;
  return pageOf(report, options, {
    title,
    summary: report.items.flatMap((item) => summaryOf(item, options)),
    objects,
    references,
    legend: Object.fromEntries(Object.values(linkStates).map(({ mark, words }) => [mark, words])),
    views: [stillView(title)],
    table: { columns: ['State', 'Reason', 'What to do', 'Rule'], rows },
  });
}

const linkStates: Readonly<Record<LinkState, PageState>> = {
  blocked: { mark: 'stuck', words: 'is blocked' },
  waiting: { mark: 'changes', words: 'is waited for' },
  holds: { mark: 'stays', words: 'keeps it alive' },
  fine: { mark: 'plain', words: 'is not the reason' },
  unknown: { mark: 'unknown', words: 'was not read' },
};

function factsIn({ cause, state, rule, evidence, next, finalizer, since, fix }: Link): PageFact[] {
  return [
    ...factsOf(
      ['State', linkStates[state].words],
      ['What to do', next],
      ['Cause', cause],
      ['Rule', rule],
      ['Finalizer', finalizer],
      ['Being deleted since', since],
      ['Smallest step (--fix)', fix?.does],
      ['Risk of it', fix?.risk],
    ),
    ...evidence.map((entry: Evidence) => ['Evidence', evidenceText(entry)] as const),
  ];
}

function summaryOf(item: Diagnosed, { now }: RenderOptions): string[] {
  const { fix } = item;
  return [
    `${nameOf(item.object)} ${headlineOf(item, now)}.`,
    ...(fix ? [`Smallest safe step (--fix): ${fix.does}. Risk: ${fix.risk}.`] : []),
  ];
}

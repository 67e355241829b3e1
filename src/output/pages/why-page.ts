import { objectKey } from '../../kube/object-reference.ts';
import { age } from '../../kube/time.ts';
import type { Link, LinkState } from '../../why/chain.ts';
import type { Evidence } from '../../why/inquiry.ts';
import type { StuckDeletionsReport } from '../documents/stuck.ts';
import type { Diagnosed, DiagnosisReport } from '../documents/why.ts';
import type { RenderOptions } from '../style.ts';
import { stuckReason, stuckSummary, stuckWords } from '../tables/stuck-table.ts';
import { evidenceText, headlineOf } from '../tables/why-table.ts';
import { nameOf, waitsFor } from '../tables/words.ts';
import type { PageData, PageObject, PageReference, PageState } from './page-data.ts';
import { factsOf, identityFacts, pageHead, stillView, titleOfSome } from './page-parts.ts';

/** `why`: each link of the chain is a box, and what it waits for stands at its right. */
export function whyPage(report: DiagnosisReport, options: RenderOptions): PageData {
  const objects: PageObject[] = [];
  const references: PageReference[] = [];
  const rows: PageData['table']['rows'][number][] = [];
  const add = (link: Link, id: string, depth: number): void => {
    objects.push(objectOf(link, id));
    const next = link.state === 'fine' ? '' : link.next;
    rows.push({ object: id, cells: [linkStates[link.state].words, link.because, next, link.rule] });
    link.links.forEach((below, index) => {
      const dependent = `${id}.${index}`;
      add(below, dependent, depth + 1);
      references.push({ owner: id, dependent, class: 'leads', because: below.because });
    });
  };
  report.items.forEach(({ chain }, index) => {
    add(chain, String(index), 0);
  });
  const title = `Why ${titleOfSome(
    report.items.map(({ object }) => object),
    3,
  )}`;
  return {
    ...pageHead(report, options),
    title,
    summary: report.items.flatMap((item) => summaryOf(item, options)),
    objects,
    references,
    legend: Object.fromEntries(Object.values(linkStates).map(({ mark, words }) => [mark, words])),
    views: [stillView(title)],
    table: { columns: ['State', 'Reason', 'What to do', 'Rule'], rows },
  };
}

const linkStates: Readonly<Record<LinkState, PageState>> = {
  blocked: { mark: 'stuck', words: 'is blocked' },
  waiting: { mark: 'changes', words: 'is waited for' },
  holds: { mark: 'stays', words: 'keeps it alive' },
  fine: { mark: 'plain', words: 'is not the reason' },
  unknown: { mark: 'unknown', words: 'was not read' },
};

function objectOf(link: Link, id: string): PageObject {
  const { object, cause, state, because, rule, evidence, next, finalizer, since, fix } = link;
  return {
    ...object,
    id,
    state: { ...linkStates[state], words: because },
    facts: [
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
      ...identityFacts(object),
    ],
  };
}

function summaryOf(item: Diagnosed, { now }: RenderOptions): string[] {
  const { fix } = item;
  return [
    `${nameOf(item.object)} ${headlineOf(item, now)}.`,
    ...(fix ? [`Smallest safe step (--fix): ${fix.does}. Risk: ${fix.risk}.`] : []),
  ];
}

/** `why -A`: every deletion that has not ended, and what it waits for. */
export function stuckPage(report: StuckDeletionsReport, options: RenderOptions): PageData {
  const objects = new Map<string, PageObject>();
  const references: PageReference[] = [];
  const rows = report.items.map((item) => {
    const { object, state, since, blockers, fix } = item;
    const id = objectKey(object);
    const mark = state === 'stuck' ? 'stuck' : state === 'unknown' ? 'unknown' : 'changes';
    objects.set(id, {
      ...object,
      id,
      state: { mark, words: stuckWords[state] },
      facts: [
        ...factsOf(
          ['Being deleted since', since],
          ['Smallest step (--fix)', fix?.does],
          ['Risk of it', fix?.risk],
        ),
        ...blockers.flatMap(({ because, next }) =>
          factsOf(['Reason', because], ['What to do', next]),
        ),
        ...identityFacts(object),
      ],
    });
    return {
      object: id,
      cells: [stuckWords[state], age(since, options.now), waitsFor(item), stuckReason(item)],
    };
  });
  for (const item of report.items) {
    const dependent = objectKey(item.object);
    for (const { object, because } of item.blockers) {
      const owner = objectKey(object);
      if (owner === dependent) continue;
      if (!objects.has(owner)) {
        const state: PageState = { mark: 'plain', words: 'is waited for' };
        objects.set(owner, { ...object, id: owner, state, facts: identityFacts(object) });
      }
      references.push({ owner, dependent, class: 'leads', because });
    }
  }
  const title = 'Deletions that have not ended';
  return {
    ...pageHead(report, options),
    title,
    summary: [stuckSummary(report)],
    objects: [...objects.values()],
    references,
    views: objects.size === 0 ? [] : [stillView(title)],
    table: { columns: ['State', 'Age', 'Waits for', 'Reason'], rows },
  };
}

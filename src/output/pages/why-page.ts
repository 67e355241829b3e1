import { objectKey } from '../../kube/object-reference.ts';
import type { Link, LinkState } from '../../why/chain.ts';
import type { Evidence } from '../../why/inquiry.ts';
import type { StuckDeletionsReport, UnendedDeletion } from '../documents/stuck.ts';
import type { Diagnosed, DiagnosisReport } from '../documents/why.ts';
import type { RenderOptions } from '../style.ts';
import { deletionColumns, stuckSummary } from '../tables/stuck-table.ts';
import { evidenceText, headlineOf } from '../tables/why-table.ts';
import { nameOf } from '../tables/words.ts';
import type { PageData, PageFact, PageReference, PageState } from './page-data.ts';
import {
  columnFacts,
  factsOf,
  PageObjects,
  pageHead,
  pageTable,
  stillView,
  titleOfSome,
} from './page-parts.ts';

/** `why`: each link of the chain is a box, and what it waits for stands at its right. */
export function whyPage(report: DiagnosisReport, options: RenderOptions): PageData {
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
  return {
    ...pageHead(report, options),
    title,
    summary: report.items.flatMap((item) => summaryOf(item, options)),
    objects: objects.all(),
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

/** `why -A`: every deletion that has not ended, and what it waits for. */
export function stuckPage(report: StuckDeletionsReport, options: RenderOptions): PageData {
  const { items } = report;
  const columns = deletionColumns(report, options);
  const objects = new PageObjects();
  for (const item of items) {
    const { object, state, since, fix } = item;
    objects.add(object, unendedStates[state], [
      ...columnFacts(item, columns),
      ...factsOf(
        ['Being deleted since', since],
        ['Smallest step (--fix)', fix?.does],
        ['Risk of it', fix?.risk],
      ),
    ]);
  }
  const references = items.flatMap(({ object, blockers }) => {
    const dependent = objectKey(object);
    return blockers.flatMap((blocker): PageReference[] => {
      const owner = objects.add(blocker.object, { mark: 'plain', words: 'is waited for' });
      if (owner === dependent) return [];
      return [{ owner, dependent, class: 'leads', because: blocker.because }];
    });
  });
  const title = 'Deletions that have not ended';
  return {
    ...pageHead(report, options),
    title,
    summary: [stuckSummary(report)],
    objects: objects.all(),
    references,
    views: items.length === 0 ? [] : [stillView(title)],
    table: pageTable(items, columns, ({ object }) => objectKey(object)),
  };
}

const unendedStates: Readonly<Record<UnendedDeletion['state'], PageState>> = {
  stuck: { mark: 'stuck', words: 'stuck' },
  unknown: { mark: 'unknown', words: 'unknown' },
  progressing: { mark: 'changes', words: 'progressing' },
};

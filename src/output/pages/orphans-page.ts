import { objectKey } from '../../kube/object-reference.ts';
import type { Orphan, OrphansReport } from '../documents/orphans.ts';
import type { RenderOptions } from '../style.ts';
import { orphanColumns, orphanResult, orphansSummary } from '../tables/orphans-table.ts';
import { actionStates } from './graph-page.ts';
import type { PageData, PageReference, PageState } from './page-data.ts';
import { columnFacts, PageObjects, pageHead, pageTable, stillView } from './page-parts.ts';

/** `orphans`: each below the owners that it names, also those that are gone. */
export function orphansPage(report: OrphansReport, options: RenderOptions): PageData {
  const columns = orphanColumns(options, true);
  const objects = new PageObjects();
  for (const item of report.items) {
    const state = { mark: actionStates[item.gc.action].mark, words: orphanResult(item) };
    objects.add(item.object, state, columnFacts(item, columns));
  }
  const namespaces = new Map(options.records?.map(({ uid, namespace }) => [uid, namespace]));
  const references = report.items.flatMap((item) =>
    item.references.map((reference): PageReference => {
      const { class: found, because, ...named } = reference;
      // A reference does not say whether its owner is in a namespace; one that is there does.
      const place = { ...named, namespace: namespaces.get(named.uid) ?? '' };
      const owner = objects.add(place, ownerStates[found], [], named.uid);
      return { owner, dependent: idOf(item), class: found, because };
    }),
  );
  const title = 'Objects that have lost their owners';
  return {
    ...pageHead(report, options),
    title,
    summary: report.items.length === 0 ? ['There are none.'] : [orphansSummary(report)],
    objects: objects.all(),
    references,
    views: report.items.length === 0 ? [] : [stillView(title)],
    table: pageTable(report.items, columns, idOf),
  };
}

function idOf(item: Orphan): string {
  return objectKey(item.object);
}

const ownerStates: Readonly<Record<Orphan['references'][number]['class'], PageState>> = {
  solid: { mark: 'plain', words: 'exists' },
  waiting: { mark: 'stuck', words: 'is being deleted' },
  dangling: { mark: 'gone', words: 'does not exist' },
  unresolvable: { mark: 'unseen', words: 'cannot be looked up' },
  unknown: { mark: 'unseen', words: 'was not read' },
};

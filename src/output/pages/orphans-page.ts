import { objectKey } from '../../kube/object-reference.ts';
import { age } from '../../kube/time.ts';
import type { Orphan, OrphansReport } from '../documents/orphans.ts';
import type { RenderOptions } from '../style.ts';
import { orphanResult, orphansSummary, ownersWords } from '../tables/orphans-table.ts';
import { actionStates } from './graph-page.ts';
import type { PageData, PageObject, PageReference, PageState } from './page-data.ts';
import { factsOf, identityFacts, pageHead, stillView } from './page-parts.ts';

/** `orphans`: each below the owners that it names, also those that are gone. */
export function orphansPage(report: OrphansReport, options: RenderOptions): PageData {
  const objects = new Map<string, PageObject>();
  for (const item of report.items) objects.set(idOf(item), objectOf(item));
  const namespaces = new Map(options.records?.map(({ uid, namespace }) => [uid, namespace]));
  const references = report.items.flatMap((item) =>
    item.references.map((reference): PageReference => {
      const { class: found, because, ...named } = reference;
      const owner = named.uid;
      // A reference does not say whether its owner is in a namespace; one that is there does.
      const place = { ...named, namespace: namespaces.get(named.uid) ?? '' };
      if (!objects.has(owner)) {
        const facts = identityFacts(place);
        objects.set(owner, { ...place, id: owner, state: ownerStates[found], facts });
      }
      return { owner, dependent: idOf(item), class: found, because };
    }),
  );
  const title = 'Objects that have lost their owners';
  return {
    ...pageHead(report, options),
    title,
    summary: report.items.length === 0 ? ['There are none.'] : [orphansSummary(report)],
    objects: [...objects.values()],
    references,
    views: objects.size === 0 ? [] : [stillView(title)],
    table: {
      columns: ['Owners', 'Result', 'When', 'Age', 'Reason'],
      rows: report.items.map((item) => ({
        object: idOf(item),
        cells: [
          ownersWords[item.owners],
          orphanResult(item),
          item.gc.when,
          age(item.creationTimestamp, options.now),
          item.gc.because,
        ],
      })),
    },
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

function objectOf(item: Orphan): PageObject {
  const { object, owners, gc, creationTimestamp } = item;
  return {
    ...object,
    id: idOf(item),
    state: { mark: actionStates[gc.action].mark, words: orphanResult(item) },
    facts: [
      ...factsOf(
        ['Owners', ownersWords[owners]],
        ['When', gc.when],
        ['Reason', gc.because],
        ['Rule', gc.rule],
        ['Policy', gc.policy],
        ['Created', creationTimestamp],
      ),
      ...identityFacts(object),
    ],
  };
}
